"""Alerts as files: one for each thing that is wrong, however often it happens. Whoever watches the folder is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import Lock

from ..domain.digests import digest
from ..domain.events import Escalated, Event, RunEnded
from ..domain.model import Run, RunState, StepState
from ..domain.troubles import CURES, NATURES
from ..domain.wording import question
from ..ports import Clock, Notice

STREAK = "failing_in_a_row"
_PAUSED = "nothing more of it starts by itself; mend the cause, then: clockwright jobs resume {job}"


@dataclass(frozen=True, slots=True)
class Alert:
    """`fingerprint` is the same for the same trouble; `count` says how often it was met since it was last well."""

    fingerprint: str
    topic: str
    text: str
    cause: str
    next: str
    job: str = ""
    data_date: str = ""
    step: str = ""
    run: str = ""
    state: str = "open"
    count: int = 1
    first_at: str = ""
    last_at: str = ""


class AlertOutbox:
    """An EventSink over `folder`, which is made with the first alert. Every file is whole whenever it is read."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = Lock()

    def emit(self, run: Run, event: Event) -> None:
        if isinstance(event, Escalated):
            self._raise(_asked(run, event), event.at)
        elif isinstance(event, RunEnded) and event.state in {RunState.FAILED, RunState.DEGRADED}:
            self._raise(_ended(run, event), event.at)
        elif isinstance(event, RunEnded) and event.state is RunState.SUCCEEDED:
            self._close(lambda alert: alert.job == run.job, event.at)

    def notice(self, notice: Notice) -> None:
        now = self._clock.now()
        if notice.topic in NATURES or notice.topic == STREAK:
            self._raise(_noticed(notice), now)
        elif notice.topic in CURES:
            self._close(lambda alert: _cures(notice, alert), now)

    def _raise(self, alert: Alert, at: datetime) -> None:
        """A new file, or one more in the count of the one that is there."""
        with self._lock:
            known = self._read(self._folder / f"{alert.fingerprint}.json")
            first, count = at.isoformat(), 1
            if known is not None and known.state == "open":
                first, count = known.first_at, known.count + 1
            self._write(replace(alert, first_at=first, last_at=at.isoformat(), count=count))

    def _close(self, concerns: Callable[[Alert], bool], at: datetime) -> None:
        with self._lock:
            for path in sorted(self._folder.glob("*.json")):
                alert = self._read(path)
                if alert is not None and alert.state == "open" and concerns(alert):
                    self._write(replace(alert, state="recovered", last_at=at.isoformat()))

    def _read(self, path: Path) -> Alert | None:
        with suppress(OSError, ValueError, TypeError):  # what cannot be read is written anew
            return Alert(**json.loads(path.read_text()))
        return None

    def _write(self, alert: Alert) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._folder / f".{alert.fingerprint}.{os.getpid()}"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
            json.dump(asdict(alert), stream, ensure_ascii=False, indent=2)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(self._folder / f"{alert.fingerprint}.json")


def _fingerprint(*parts: str) -> str:
    return digest(list(parts))[:16]


def _asked(run: Run, event: Escalated) -> Alert:
    asked = event.escalation
    answer = f"clockwright escalations answer {asked.id} {'|'.join(asked.options)}"
    return Alert(
        fingerprint=_fingerprint("asked", run.job, asked.step or ""),
        topic="asked",
        text=f"{run.job} for {run.data.day} waits for a person: {question(asked)}",
        cause=asked.question,
        next=f"{asked.default} at {asked.expires_at.isoformat()}, unless somebody answers: {answer}",
        job=run.job,
        data_date=run.data.day.isoformat(),
        step=asked.step or "",
        run=run.id,
    )


def _ended(run: Run, event: RunEnded) -> Alert:
    failed = [at.step for at in run.steps.values() if at.state is StepState.FAILED]
    step = failed[0] if failed else ""
    again = f"clockwright run {run.job} --date {run.data.day}"
    came = "nothing was delivered for what is missing" if event.state is RunState.FAILED else "the rest was delivered"
    return Alert(
        fingerprint=_fingerprint(event.state.value, run.job, step),
        topic=event.state.value,
        text=f"{run.job} for {run.data.day} {event.state}: {event.reason}",
        cause=event.reason,
        next=f"nothing more is tried by itself; {came}; once it is mended: {again}",
        job=run.job,
        data_date=run.data.day.isoformat(),
        step=step,
        run=run.id,
    )


def _cures(notice: Notice, alert: Alert) -> bool:
    """What names a job ends what is wrong with that job alone."""
    nature = NATURES.get(alert.topic)
    return nature is not None and nature.topic is CURES[notice.topic] and alert.job in {"", notice.job or alert.job}


def _noticed(notice: Notice) -> Alert:
    coming = NATURES[notice.topic].next if notice.topic in NATURES else _PAUSED
    return Alert(
        fingerprint=_fingerprint(notice.topic, notice.job or ""),
        topic=notice.topic,
        text=notice.message,
        cause=notice.message,
        next=coming.format(job=notice.job),
        job=notice.job or "",
        run=notice.run or "",
    )
