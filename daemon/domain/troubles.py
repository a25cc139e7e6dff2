"""From what happened, as it is stored, to the trouble that people are told of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .alerts import Subject, Topic, Trouble
from .digests import digest
from .job import Disposition, LedgerRow
from .model import Escalation, Run, RunState, StepRun, StepState
from .pause import Pause
from .severity import Severity

OVER_BUDGET = "budget exceeded"
UNSTARTED = frozenset({Disposition.MISSED_EXPIRED, Disposition.BLOCKED_INVALID})
_NUMBERS = re.compile(r"\d+")
_UPSTREAM_CHARS = 300


def of_end(run: Run, subject: Subject) -> Trouble | None:
    """What a run that ended has to tell; None where it ended well, or a person ended it, or it was a rehearsal."""
    if run.dry_run or run.state not in {RunState.FAILED, RunState.DEGRADED}:
        return None
    over = run.reason.startswith(OVER_BUDGET)
    topic = Topic.BUDGET if over else Topic.FAILED if run.state is RunState.FAILED else Topic.DEGRADED
    step = next((at for at in run.steps.values() if at.state is StepState.FAILED), None)
    came = "nothing was delivered for what is missing" if run.state is RunState.FAILED else "the rest was delivered"
    return Trouble(
        source=f"run/{run.id}/ended",
        topic=topic,
        at=run.ended_at or run.queued_at,
        text=f"{run.job} for {run.data.day} {run.state}: {run.reason}",
        cause=run.reason,
        next=f"nothing more is tried by itself; {came}; once it is mended: "
        f"clockwright run {run.job} --date {run.data.day}",
        severity=Severity.CRITICAL if run.state is RunState.FAILED else Severity.WARNING,
        subject=subject,
        data_date=run.data.day.isoformat(),
        step=step.step if step else "",
        run=run.id,
        upstream=_upstream(step) if topic is Topic.FAILED else "",
    )


def _upstream(step: StepRun | None) -> str:
    """The cause without its numbers: what is the same in every job that the same outage hits."""
    if step is None or step.failure is None:
        return ""
    return _NUMBERS.sub("#", f"{step.failure.kind}: {step.failure.message}".lower())[:_UPSTREAM_CHARS]


def of_question(run: Run, asked: Escalation, subject: Subject) -> Trouble:
    return Trouble(
        source=f"run/{run.id}/asked/{asked.id}",
        topic=Topic.ASKED,
        at=asked.asked_at,
        text=f"{run.job} for {run.data.day} waits for a person: {asked.question}",
        cause=asked.question,
        next=f"{asked.default} at {asked.expires_at:%Y-%m-%d %H:%MZ}, unless somebody answers: "
        f"clockwright escalations answer {asked.id} {'|'.join(asked.options)}",
        severity=Severity.CRITICAL,
        subject=subject,
        data_date=run.data.day.isoformat(),
        step=asked.step or "",
        run=run.id,
        question=asked,
    )


def of_absence(row: LedgerRow, subject: Subject) -> Trouble:
    """A due instant that got no run, and that nobody wanted left out."""
    due = row.occurrence
    return Trouble(
        source=f"due/{due.job}/{due.instant.isoformat()}",
        topic=Topic.OVERDUE,
        at=row.recorded_at or due.instant,
        text=f"{due.job} for {due.data.day} did not start: {row.reason}",
        cause=row.reason,
        next=f"it does not start by itself any more; to run it now: clockwright run {due.job} --date {due.data.day}",
        severity=Severity.CRITICAL,
        subject=subject,
        data_date=due.data.day.isoformat(),
        matter="unstarted",
    )


def of_pause(pause: Pause, subject: Subject) -> Trouble:
    """The daemon has paused a job that fails run after run, and somebody is to say when it may go on."""
    return Trouble(
        source=f"pause/{pause.job}/{pause.since.isoformat()}",
        topic=Topic.STREAK,
        at=pause.since,
        text=f"{pause.job} is paused: {pause.why}",
        cause=pause.why,
        next=f"nothing more of it starts by itself; mend the cause, then: clockwright jobs resume {pause.job}",
        severity=Severity.CRITICAL,
        subject=subject,
    )


@dataclass(frozen=True, slots=True)
class Nature:
    """What something that happens to the daemon is, and what comes next."""

    topic: Topic
    next: str
    severity: Severity = Severity.CRITICAL


NATURES: Mapping[str, Nature] = {
    "store_trouble": Nature(
        Topic.STORE, "it is tried again every few seconds, and goes on by itself once the store answers"
    ),
    "lease_lost": Nature(Topic.DAEMON, "another daemon carries on; this one stands by", Severity.WARNING),
    "run_defect": Nature(Topic.DAEMON, "the run is taken up again in half a minute; please report this defect"),
    "run_quarantined": Nature(
        Topic.DAEMON, "it is left alone and looked at again every ten minutes; nothing is deleted"
    ),
    "store_is_older": Nature(Topic.DAEMON, "their receivers are asked before anything is sent again", Severity.WARNING),
    "clock_jumped": Nature(Topic.DAEMON, "nothing is fired until the clock has been steady for a while"),
    "heartbeat_trouble": Nature(Topic.DAEMON, "runs go on; whoever listens for it may miss it", Severity.WARNING),
    "catch_up_asks": Nature(Topic.DAEMON, "nothing of these jobs starts before: clockwright jobs resume --all"),
    "overdue": Nature(Topic.OVERDUE, "it goes on as the job's catch_up says; you are told when it is made good"),
    "reload_refused": Nature(Topic.RELOAD, "the last good configuration stays in force; mend it and reload"),
    "config_fault": Nature(Topic.RELOAD, "the last good version of the job stays in force; mend it and reload"),
    "model_budget": Nature(Topic.BUDGET, "the rule decides until the budget is whole again", Severity.WARNING),
    "slack_trouble": Nature(Topic.SLACK, "alerts go by the second channel; mend it and they come back by themselves"),
}
"""Notices that are alerts, by topic."""
CURES: Mapping[str, Topic] = {
    "store_recovered": Topic.STORE,
    "serving": Topic.DAEMON,
    "reloaded": Topic.RELOAD,
    "slack_answers": Topic.SLACK,
    "recovered": Topic.OVERDUE,
}
"""Notices that say that something is well again; one that names a job, of that job alone."""


def of_daemon(
    notice: str, text: str, at: datetime, subject: Subject, run: str = "", about: tuple[str, ...] = ()
) -> Trouble:
    """Something that happened to the daemon; `notice` is one of `NATURES`, `about` names it where it has names."""
    nature = NATURES[notice]
    source = about[0] if len(about) == 1 else f"daemon/{notice}/{subject.job}/{at.isoformat()}/{digest(text)[:16]}"
    return Trouble(
        source=source,
        topic=nature.topic,
        at=at,
        text=text,
        cause=text,
        next=nature.next.format(job=subject.job),
        severity=nature.severity,
        subject=subject,
        run=run,
        matter=notice,
        also=about,
    )
