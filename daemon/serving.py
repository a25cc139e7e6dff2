"""The part of the composition root that only `serve` needs: the loop, what wakes it, and who listens to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .adapters.alarm import Alarm
from .adapters.doorbell import Attended
from .adapters.gauges import Gauges
from .adapters.systemd import Heartbeat, Notifier
from .adapters.watched import Watched
from .adapters.zone_data import zone_data_version
from .app import Daemon
from .config import Loaded
from .domain.health import Health, health
from .in_force import models_of, recipe_of
from .people import Reception
from .runtime.accountant import Pace
from .runtime.alerting import Alerting
from .runtime.duty import Service
from .runtime.lookout import Lookout, Sources
from .runtime.loop import Loop
from .runtime.renewal import Renewal
from .runtime.scheduler import Scheduler
from .runtime.tidy import Tidied

if TYPE_CHECKING:
    from .adapters.heartbeats import Heartbeats


@dataclass(frozen=True)
class Serving:
    """A daemon at work."""

    daemon: Daemon

    @cached_property
    def alarm(self) -> Alarm:
        alarm = Alarm()
        self.daemon.listeners.append(alarm.ring)
        return alarm

    @cached_property
    def renewal(self) -> Renewal:
        return Renewal()

    @cached_property
    def scheduler(self) -> Scheduler:
        daemon, config = self.daemon, self.daemon.config
        scheduler = Scheduler(daemon.outside, daemon.plans, daemon.executor, config.by_id, zone_data_version())
        scheduler.assign(config.by_id, config.absent)
        scheduler.tell(daemon.observers.accounted)
        return scheduler

    @cached_property
    def service(self) -> Service:
        self._set_pace()
        self.daemon.staff.warm_up()
        return Service(self.daemon.outside, self.daemon.executor, self.scheduler, self.renewal)

    def _set_pace(self) -> None:
        settings = self.daemon.now.settings
        self.scheduler.pace = Pace(settings.catch_up.at_once, settings.catch_up.ask_above)
        self.scheduler.tag_limits = settings.concurrency

    @cached_property
    def attended(self) -> Attended:
        daemon = self.daemon
        jobs = daemon.now.jobs
        duty = Tidied(
            self.alerting, daemon.attic, daemon.plans, daemon.artifacts, lambda: list(jobs.values()), daemon.clock
        )
        return Attended(duty, daemon.doorbell, self.alarm.ring)

    @cached_property
    def reception(self) -> Reception:
        daemon = self.daemon
        return Reception(
            outside=daemon.outside,
            queries=daemon.queries,
            book=daemon.alert_book,
            plans=daemon.plans,
            commands=daemon.commands,
            settings=lambda: daemon.now.settings,
            jobs=lambda: daemon.now.jobs,
        )

    @cached_property
    def alerting(self) -> Alerting:
        daemon = self.daemon
        sources = Sources(daemon.signs, daemon.store, daemon.queries, daemon.alert_book, lambda: dict(daemon.now.jobs))
        lookout = Lookout(self.service, sources, daemon.clock, daemon.observers)
        alerter = self.reception.alerter
        daemon.observers.add(alerter)
        return Alerting(lookout, alerter, daemon.clock, daemon.observers)

    @cached_property
    def heartbeats(self) -> Heartbeats | None:
        """For whoever listens outside; None where nobody does."""
        wanted = self.daemon.config.settings.heartbeat
        if not (wanted.loop or wanted.jobs):
            return None
        from .adapters.heartbeats import Heartbeats, Targets  # noqa: PLC0415 - httpx is slow to import

        every, timeout = wanted.every.total_seconds(), wanted.timeout.total_seconds()
        targets = Targets(wanted.loop, wanted.jobs, every, timeout)
        made = Heartbeats(targets, lambda: self.loop.pulse, self.daemon.observers.notice)
        self.daemon.observers.add(made)
        return made

    @cached_property
    def loop(self) -> Loop:
        beat = Heartbeat(self.alarm, self.notifier, self.health, self.gauges.status)
        return Loop(self.daemon.clock, self.daemon.observers, beat)

    def health(self) -> Health:
        """Whether the daemon lives and is ready. From any thread."""
        return health(self.loop.pulse, self.daemon.clock.boot())

    @cached_property
    def notifier(self) -> Notifier:
        return Notifier.taken_from()

    @cached_property
    def gauges(self) -> Gauges:
        """What is measured by looking; it hears events too."""
        gauges = Gauges(self._watched)
        self.daemon.observers.add(gauges)
        return gauges

    @property
    def _watched(self) -> Watched:
        daemon = self.daemon
        return Watched(
            clock=daemon.clock,
            signs=lambda: daemon.signs,
            jobs=lambda: dict(daemon.now.jobs),
            pulse=lambda: self.loop.pulse,
            in_hand=lambda: len(daemon.executor.carried),
            failures=lambda: sum(daemon.observers.failures.values()),
        )

    def renew(self, config: Loaded) -> None:
        """From any thread: these jobs and the tools as they are now count from the loop's next turn on.

        Raises PromptError, and then nothing changes.
        """
        self.daemon.staff.renew(models_of(config))
        jobs = self.daemon.now.take(config)
        self._set_pace()
        self.daemon.runner.renew(recipe_of(config.settings, jobs.by_id.values()))
        self.renewal.offer(jobs)
        self.alarm.ring()

    def close(self) -> None:
        """Give back what was taken: whoever talks first, what all of them use last."""
        if "alerting" in self.__dict__:
            self.alerting.stop()
        if "reception" in self.__dict__:
            self.reception.close()
        self.daemon.close()
        if "alarm" in self.__dict__:
            self.alarm.stop()
