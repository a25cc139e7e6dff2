"""What people want of the daemon, whether they ask on the page, by the API, in Slack or on the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..domain.actions import RETRY
from ..domain.deed import Actor, Deed
from ..domain.job import Job
from ..domain.model import Json, Run
from ..domain.nearest import did_you_mean
from ..domain.pause import EVERYTHING, Pause
from ..ports import (
    Birth,
    Clock,
    Declined,
    EscalationRow,
    Message,
    MessageKind,
    Queries,
    Requested,
    Store,
    Unknown,
)
from .plans import Plans
from .requests import again, day_asked, request, send_again

LONGEST_PAUSE = timedelta(days=3660)
MOST_RUNS = 1000
"""Runs of a job among which those of one day are looked for, newest first."""


@dataclass(frozen=True)
class StoreCommands:
    """`daemon.ports.Commands`: rows in the store, and a ring for whoever carries the runs."""

    store: Store
    queries: Queries
    plans: Plans
    clock: Clock
    jobs: Callable[[], Mapping[str, Job]]
    ring: Callable[[], object]
    zone_data: str

    def answer(
        self, actor: Actor, escalation: str, option: str, changes: Mapping[str, Json], *, digest: str = ""
    ) -> int:
        asked = self.open_question(escalation)
        if digest and digest != asked.digest:
            raise Declined("the question has changed since it was shown", "look at it again")
        if option not in asked.options:
            raise Declined(f"{option!r} is not offered", did_you_mean(option, asked.options))
        self._expect_open(asked, option, changes)
        body = {"escalation": escalation, "option": option, "changes": dict(changes), "digest": asked.digest}
        self.note(actor, "answer", job=asked.job, run=asked.run, detail=f"{option}: {asked.question}")
        return self._post(asked.run, MessageKind.ANSWER, actor, body)

    def cancel(self, actor: Actor, run_id: str) -> None:
        run = self.load(run_id)
        if run.state.ended:
            raise Declined(f"run {run_id} has already ended: {run.state}")
        self.note(actor, "cancel", job=run.job, run=run_id)
        self._post(run_id, MessageKind.CANCEL, actor, {})

    def pause(self, actor: Actor, job: str, why: str, until: datetime | None) -> None:
        now = self.clock.now()
        if job != EVERYTHING:
            self._job(job)
        if until is not None and until <= now:
            raise Declined(f"{until:%Y-%m-%d %H:%M %Z} has passed", "a pause ends in the future")
        if until is not None and until > now + LONGEST_PAUSE:
            raise Declined(f"a pause until {until:%Y-%m-%d} is too long", "pause it without an end")
        self.note(actor, "pause", job=job, detail=why)
        self.store.pause(Pause(job, now, actor.name, why, until))
        self.ring()

    def resume(self, actor: Actor, job: str) -> bool:
        self.note(actor, "resume", job=job)
        ended = self.store.resume(job, self.clock.now(), actor.name)
        self.ring()
        return ended

    def retry(self, actor: Actor, run_id: str, *, send: bool = False) -> Run:
        found = self.load(run_id)
        job = self._able(found.job)
        try:
            made = again(self.store, job, found, self.clock.now(), send=send)
        except ValueError as error:
            raise Declined(str(error), f"see 'clockwright runs show {run_id}'") from error
        deed = self._deed(actor, "retry", job=job.id, run=made.id, detail="send again" if send else "")
        return self._stored(job, made, deed).run

    def request(self, actor: Actor, job: str, day: date | None, *, dry_run: bool = False, key: str = "") -> Requested:
        if key and (done := self.store.deed(key)):
            return self._repeated(done, job)
        chosen, now = self._able(job), self.clock.now()
        wanted = request(self.store, chosen, day_asked(chosen, day, now), now, self.zone_data, dry_run=dry_run)
        if wanted.new and not dry_run and (begun := self._unfinished(wanted.run)):
            wanted = Requested(begun, new=False)
        verb = "dry run" if dry_run else "run"
        deed = self._deed(actor, verb, job=job, run=wanted.run.id, detail=str(wanted.run.data.day), key=key)
        if wanted.new:
            return self._stored(chosen, wanted.run, deed)
        self.store.note(deed)
        return wanted

    def send_again(self, actor: Actor, job: str, day: date) -> Run:
        """What was delivered for that day is delivered once more."""
        chosen = self._able(job)
        rows = self.queries.runs(job, limit=MOST_RUNS)
        earlier = [self.store.load(row.id) for row in rows if row.date == day.isoformat()]
        try:
            run = send_again(chosen, [one for one in earlier if not one.dry_run], self.clock.now(), actor.name)
        except ValueError as reason:
            raise Declined(f"{job} for {day} cannot be sent again: {reason}", "run it without --resend") from None
        return self._stored(chosen, run, self._deed(actor, "send again", job=job, run=run.id, detail=str(day))).run

    def load(self, run_id: str) -> Run:
        """Raises Unknown."""
        try:
            return self.store.load(run_id)
        except KeyError:
            known = [row.id for row in self.queries.runs(limit=200)]
            raise Unknown(f"there is no run {run_id!r}", did_you_mean(run_id, known[:3])) from None

    def open_question(self, wanted: str) -> EscalationRow:
        open_ones = {row.id: row for row in self.queries.escalations()}
        if wanted in open_ones:
            return open_ones[wanted]
        if any(row.id == wanted for row in self.queries.escalations(include_closed=True)):
            raise Declined(f"the question {wanted!r} is closed: it has been answered, or its time is over")
        raise Unknown(f"there is no question {wanted!r}", did_you_mean(wanted, open_ones))

    def _expect_open(self, asked: EscalationRow, option: str, changes: Mapping[str, Json]) -> None:
        """Raises Declined for an input that the plan does not open, and for changes that nothing would use."""
        if not changes:
            return
        if option != RETRY:
            raise Declined(f"--change goes with {RETRY!r} only; {option!r} would not use it")
        plan = self.plans.get(self.store.load(asked.run).plan)
        allowed = plan.by_id[asked.step].open if asked.step else ()
        for field in changes:
            if field not in allowed:
                raise Declined(
                    f"the input {field!r} may not be changed", did_you_mean(field, allowed) or "none is open"
                )

    def _job(self, name: str) -> Job:
        jobs = self.jobs()
        if name not in jobs:
            raise Unknown(f"there is no job {name!r}", did_you_mean(name, jobs))
        return jobs[name]

    def _able(self, name: str) -> Job:
        job = self._job(name)
        if job.broken:
            raise Declined(f"job {name!r} cannot run: {job.broken}")
        return job

    def _unfinished(self, wanted: Run) -> Run | None:
        """A job without a schedule has no occurrence to be known by: an open request for that day is the same one."""
        rows = self.queries.runs(wanted.job, limit=100)
        same = [row for row in rows if row.date == wanted.data.day.isoformat() and row.cause == wanted.cause]
        return next((self.store.load(row.id) for row in same if not row.state.ended), None)

    def _stored(self, job: Job, run: Run, deed: Deed) -> Requested:
        """Stored before anything happens, so that two who ask at once get the same run."""
        self.plans.keep(job.plan)
        [stored] = self.store.create([Birth(run, deed=deed)])
        self.ring()
        if stored:
            return Requested(run, new=True)
        done = self.store.deed(deed.key) if deed.key else None
        return Requested(self.store.load(done.run if done else run.id), new=False)

    def _repeated(self, done: Deed, job: str) -> Requested:
        if done.job != job:
            raise Declined(f"this key was used for {done.job!r} already", "use a new one for each request")
        try:
            return Requested(self.store.load(done.run), new=False)
        except KeyError:
            raise Declined(f"this key was used for run {done.run}, which is forgotten by now") from None

    def _deed(self, actor: Actor, verb: str, **about: str) -> Deed:
        return Deed(self.clock.now(), actor.name, actor.origin, verb, **about)

    def note(self, actor: Actor, verb: str, **about: str) -> None:
        """Into the audit log: also what the command line does by itself."""
        self.store.note(self._deed(actor, verb, **about))

    def _post(self, run: str, kind: MessageKind, actor: Actor, body: Mapping[str, Json]) -> int:
        posted = self.store.post(Message(run, kind, actor.name, self.clock.now(), body))
        self.ring()
        return posted
