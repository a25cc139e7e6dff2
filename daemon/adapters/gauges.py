"""What is only known by looking: asked for when somebody scrapes, and then not again for a moment."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from datetime import datetime

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.core import Metric as Family
from prometheus_client.registry import Collector

from ..domain.deadlines import Deadline, Standing, deadline
from ..domain.events import Event, RunEnded
from ..domain.health import health
from ..domain.job import Job
from ..domain.model import Run
from ..domain.pause import EVERYTHING
from ..domain.status import STANDS_BY, status_line
from ..ports import LastRuns, Notice, Signs, StoreError, Vitals
from ..version import __version__
from .metric_list import METRICS, Sort
from .watched import Watched

FRESH_SECONDS = 2.0
"""How long one look at the store serves every scrape."""
ANEW_SECONDS = 300.0
"""How long the last runs of a job count of whose runs nothing was heard: another process may have carried one."""

_SOCKET = {"slack_socket_up": True, "slack_socket_down": False}
"""Notices of the socket by which presses come."""


class Gauges(Collector):
    """A collector, and an EventSink that hears what has to be looked up again. It never raises for a store that is
    away: what cannot be known is left out, and `store_up` is 0.
    """

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._lock = threading.Lock()
        self._looked_at = float("-inf")
        self._vitals: Vitals | None = None
        self._last: dict[str, LastRuns] = {}
        self._last_anew = float("-inf")
        self._ended: set[str] = set()
        self._deadlines: dict[str, tuple[Job, Standing, Deadline]] = {}
        self._reloaded_at = watched.clock.now()
        self._reload_ok = True
        self._socket: bool | None = None

    def emit(self, run: Run, event: Event) -> None:
        if isinstance(event, RunEnded):
            self._ended.add(run.job)

    def notice(self, notice: Notice) -> None:
        if notice.topic == "reloaded":
            self._reload_ok, self._reloaded_at = True, self._watched.clock.now()
        elif notice.topic == "reload_refused":
            self._reload_ok = False
        elif notice.topic in _SOCKET:
            self._socket = _SOCKET[notice.topic]

    def describe(self) -> list[Family]:
        """Nothing is looked at to be registered."""
        return []

    def collect(self) -> Iterator[Family]:
        with self._lock:
            self._look()
            yield from self._of_daemon()
            if self._vitals is not None:
                yield from self._of_store(self._vitals)
                yield from self._of_jobs(self._vitals, self._watched.clock.now())

    def status(self) -> str:
        """The daemon in one line."""
        with self._lock:
            self._look()
            vitals, now = self._vitals, self._watched.clock.now()
            if vitals is None:
                return "the store does not answer"
            if not self._watched.pulse().leads:
                return STANDS_BY
            due, runs = self._due(vitals, now), sum(vitals.open_runs.values())
        return status_line(due, now, runs=runs, questions=vitals.escalations, paused=_everything(vitals, now))

    def _look(self) -> None:
        boot = self._watched.clock.boot()
        if boot - self._looked_at < FRESH_SECONDS:
            return
        self._looked_at = boot
        try:
            signs = self._watched.signs()
            self._vitals = signs.vitals()
            self._look_at_last_runs(signs, boot)
        except StoreError:
            self._vitals = None

    def _look_at_last_runs(self, signs: Signs, boot: float) -> None:
        if boot - self._last_anew > ANEW_SECONDS:
            self._last_anew = boot
            self._last.clear()
        for job in self._ended.copy():
            self._ended.discard(job)
            self._last.pop(job, None)
        if unknown := self._watched.jobs().keys() - self._last.keys():
            self._last.update(signs.last_runs(unknown))

    def _of_daemon(self) -> Iterator[Family]:
        watched, pulse = self._watched, self._watched.pulse()
        now, boot = watched.clock.now().timestamp(), watched.clock.boot()
        yield _one("build_info", 1.0, __version__)
        yield _one("loop_turns", pulse.turns)
        yield _one("loop_last_turn_timestamp_seconds", now - max(0.0, boot - pulse.turned_at))
        yield _one("leads", bool(pulse.leads))
        yield _one("ready", health(pulse, boot).ready)
        yield _one("config_jobs", len(watched.jobs()))
        yield _one("config_reload_successful", self._reload_ok)
        yield _one("config_reload_timestamp_seconds", self._reloaded_at.timestamp())
        yield _one("observer_failures", watched.failures())
        yield _one("runs_in_hand", watched.in_hand())
        yield _one("store_up", self._vitals is not None)
        if self._socket is not None:
            yield _one("slack_socket_up", self._socket)

    def _of_store(self, vitals: Vitals) -> Iterator[Family]:
        yield _one("paused", bool(_everything(vitals, self._watched.clock.now())))
        yield _one("escalations_open", vitals.escalations)
        yield _one("escalations_oldest_timestamp_seconds", _stamp(vitals.oldest_escalation))
        yield _one("alerts_open", vitals.alerts)
        yield _one("outbox_depth", vitals.outbox)
        yield _one("outbox_oldest_timestamp_seconds", _stamp(vitals.oldest_outbox))

    def _of_jobs(self, vitals: Vitals, now: datetime) -> Iterator[Family]:
        jobs = self._watched.jobs()
        due, paused = self._due(vitals, now), _paused(vitals, now)
        last = {job: self._last.get(job, LastRuns()) for job in jobs}
        next_due = {job: at.next_due.timestamp() for job, at in due.items() if at.next_due}
        ends_by = {job: at.ends_by.timestamp() for job, at in due.items() if at.ends_by}
        yield _each("job_next_due_timestamp_seconds", next_due)
        yield _each("job_deadline_timestamp_seconds", ends_by)
        yield _each("job_overdue", {job: float(at.overdue(now)) for job, at in due.items()})
        yield _each("job_last_success_timestamp_seconds", {job: _stamp(runs.success) for job, runs in last.items()})
        yield _each("job_last_duration_seconds", {job: runs.seconds or 0.0 for job, runs in last.items()})
        yield _each("job_paused", {job: float(bool({job, EVERYTHING} & paused)) for job in jobs})
        yield _each("job_runs_open", {job: float(vitals.open_runs.get(job, 0)) for job in jobs})

    def _due(self, vitals: Vitals, now: datetime) -> dict[str, Deadline]:
        paused = _paused(vitals, now)
        jobs = self._watched.jobs().values()
        return {job.id: self._deadline(job, vitals, {job.id, EVERYTHING} & paused, now) for job in jobs}

    def _deadline(self, job: Job, vitals: Vitals, paused: set[str], now: datetime) -> Deadline:
        """Looking at a schedule costs most, so what it said holds until its next instant has come."""
        standing = Standing(vitals.watermarks.get(job.id), vitals.open_since.get(job.id), bool(paused))
        kept = self._deadlines.get(job.id)
        if kept and kept[0] is job and kept[1] == standing and (kept[2].next_due or now) >= now:
            return kept[2]
        found = deadline(job, standing, now)
        self._deadlines[job.id] = (job, standing, found)
        return found


def _everything(vitals: Vitals, now: datetime) -> str:
    """Who paused all jobs; empty where nobody did."""
    return next((pause.told for pause in vitals.pauses if pause.job == EVERYTHING and pause.holds(now)), "")


def _paused(vitals: Vitals, now: datetime) -> set[str]:
    return {pause.job for pause in vitals.pauses if pause.holds(now)}


def _stamp(at: datetime | None) -> float:
    return at.timestamp() if at else 0.0


def _one(name: str, value: float, *labels: str) -> Family:
    metric = METRICS[name]
    family = _family(name)
    family.add_metric(labels, value)
    assert len(labels) == len(metric.labels)  # noqa: S101 - one list says what the labels are
    return family


def _each(name: str, values: Mapping[str, float]) -> Family:
    family = _family(name)
    for job, value in values.items():
        family.add_metric([job], value)
    return family


def _family(name: str) -> GaugeMetricFamily | CounterMetricFamily:
    metric = METRICS[name]
    kind = CounterMetricFamily if metric.sort is Sort.COUNTER else GaugeMetricFamily
    return kind(f"clockwright_{name}", metric.text, labels=metric.labels)
