"""The composition root: the only place that knows which adapter stands behind which port."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .adapters.alert_outbox import AlertOutbox
from .adapters.artifacts import LocalArtifacts
from .adapters.clock import SystemClock
from .adapters.doorbell import Attended, Doorbell
from .adapters.intent_journal import IntentJournal
from .adapters.llm.staff import Staff
from .adapters.sandbox.recipe import Recipe
from .adapters.sandbox.runner import Sandbox
from .adapters.sql.alert_book import SqlAlertBook
from .adapters.sql.attic import SqlAttic
from .adapters.sql.backup import mark_restored
from .adapters.sql.database import Database
from .adapters.sql.metered import Metered
from .adapters.sql.opening import open_database
from .adapters.sql.queries import SqlQueries
from .adapters.sql.signs import SqlSigns
from .adapters.sql.store import SqlStore
from .adapters.systemd import Heartbeat, Notifier
from .adapters.tools import SandboxRunner
from .adapters.watched import Watched
from .adapters.zone_data import zone_data_version
from .config import Loaded, Settings, load, read_settings
from .config.secrets import Secrets
from .domain.draft import Toolbox
from .domain.health import Health, health
from .domain.job import Job
from .domain.llm import Llm
from .domain.tool import BrokenTool, ToolSpec
from .people import Reception
from .ports import Attic, EventSink, Queries, Signs, Store, StoreError, StoreUnavailable
from .registry import discover
from .runtime.accountant import Pace
from .runtime.alerting import Alerting
from .runtime.commands import StoreCommands
from .runtime.duty import Service
from .runtime.executor import Executor
from .runtime.lookout import Lookout, Sources
from .runtime.loop import Loop
from .runtime.observers import Observers
from .runtime.outside import Outside
from .runtime.plans import Plans
from .runtime.renewal import Jobs, Renewal, in_force
from .runtime.scheduler import Scheduler
from .runtime.streaks import Streaks
from .runtime.tidy import Tidied

if TYPE_CHECKING:
    from .adapters.alarm import Alarm
    from .adapters.gauges import Gauges
    from .adapters.heartbeats import Heartbeats
    from .adapters.llm.office import Office


def read_config(folder: Path, environment: str | None = None) -> Loaded:
    """Settings, tools and jobs. Raises ConfigError for what concerns everything; a faulty job is only listed."""
    settings = read_settings(folder, environment)
    return load(settings, read_toolbox(settings))


def read_toolbox(settings: Settings) -> Toolbox:
    """Every tool, as its describing process reported it; cached in the state folder where that can be written."""
    registry = discover(settings.tools, cache=settings.state / "tools.json")
    return Toolbox(
        tools=registry.tools,
        broken={tool.name: tool for tool in registry.broken},
        secrets=settings.secrets.names,
    )


@dataclass(frozen=True)
class Daemon:
    """Everything wired. Parts are made when they are first used, so that a query starts no tool process."""

    config: Loaded
    observers: Observers
    owner: str
    sandbox: Sandbox | None = None
    """One that was started ahead of everything else."""

    @cached_property
    def clock(self) -> SystemClock:
        return SystemClock()

    @cached_property
    def _database(self) -> Database:
        settings = self.config.settings
        try:
            settings.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreUnavailable(f"the state folder {settings.state} cannot be made: {error.strerror}") from error
        return Metered(open_database(settings.store), self.observers.committed)

    @cached_property
    def store(self) -> Store:
        return SqlStore(self._database)

    @cached_property
    def queries(self) -> Queries:
        return SqlQueries(self._database)

    @cached_property
    def signs(self) -> Signs:
        return SqlSigns(self._database)

    @property
    def has_store(self) -> bool:
        """There is one already, as far as can be told without making it."""
        path = self.config.settings.store.removeprefix("sqlite:///")
        return "://" in path or Path(path).exists()

    def mark_restored(self, taken_at: datetime) -> None:
        """Say in the store that it was put back from a backup of then. Raises StoreError."""
        mark_restored(self._database, taken_at, self.clock.now())

    @property
    def watched(self) -> Watched:
        """For whoever measures."""
        return Watched(
            clock=self.clock,
            signs=lambda: self.signs,
            jobs=lambda: dict(self._in_force),
            pulse=lambda: self.loop.pulse,
            in_hand=lambda: len(self.executor.carried),
            failures=lambda: sum(self.observers.failures.values()),
        )

    @cached_property
    def attic(self) -> Attic:
        return SqlAttic(self._database)

    @cached_property
    def doorbell(self) -> Doorbell:
        return Doorbell(self.config.settings.state / "doorbell")

    @cached_property
    def artifacts(self) -> LocalArtifacts:
        settings = self.config.settings
        return LocalArtifacts(settings.artifacts, settings.state / "work")

    @cached_property
    def runner(self) -> SandboxRunner:
        if self.sandbox is not None:
            return SandboxRunner(self.sandbox)
        return SandboxRunner(Sandbox(recipe_of(self.config.settings, self.config.jobs)))

    @cached_property
    def plans(self) -> Plans:
        return Plans(self.store)

    @cached_property
    def staff(self) -> Staff:
        """Who decides. Raises PromptError."""
        return Staff(models_of(self.config), self._open_office)

    def _open_office(self, models: Mapping[str, Llm]) -> Office:
        from .adapters.llm.opening import open_office  # noqa: PLC0415 - only who has a model needs Jinja

        settings = self.config.settings
        spent = settings.state / "models.db"
        return open_office(models, spent, self.clock, self.artifacts, self.observers.notice, self._secrets[-1])

    @cached_property
    def outside(self) -> Outside:
        return Outside(
            owner=self.owner,
            clock=self.clock,
            store=self.store,
            runner=self.runner,
            decider=self.staff,
            artifacts=self.artifacts,
            sink=self.observers,
            secret=self._secret,
            outbox=self.config.settings.outbox,
            tools=self._tools,
            journal=IntentJournal(self.config.settings.state / "intents.log", self.clock),
        )

    @cached_property
    def commands(self) -> StoreCommands:
        return StoreCommands(
            store=self.store,
            queries=self.queries,
            plans=self.plans,
            clock=self.clock,
            jobs=lambda: self._in_force,
            ring=self._rouse,
            zone_data=zone_data_version(),
        )

    @cached_property
    def reception(self) -> Reception:
        return Reception(
            outside=self.outside,
            queries=self.queries,
            book=SqlAlertBook(self._database),
            plans=self.plans,
            commands=self.commands,
            settings=lambda: self._settings[-1],
            jobs=lambda: self._in_force,
        )

    @cached_property
    def _settings(self) -> list[Settings]:
        """The last one counts."""
        return [self.config.settings]

    def _rouse(self) -> None:
        """Whoever carries runs, here or in another process, looks at once."""
        self.doorbell.ring()
        self._ring()

    @cached_property
    def _tools(self) -> dict[str, ToolSpec]:
        """As they are now."""
        return dict(self.config.tools)

    @cached_property
    def alarm(self) -> Alarm:
        from .adapters.alarm import Alarm  # noqa: PLC0415 - only who serves needs APScheduler

        return Alarm()

    @cached_property
    def executor(self) -> Executor:
        parallel = self.config.settings.parallel_runs
        return Executor(self.outside, self.plans, parallel=parallel, on_idle=self._ring)

    def _ring(self) -> None:
        if "alarm" in self.__dict__:
            self.alarm.ring()

    @cached_property
    def service(self) -> Service:
        settings, config = self.config.settings, self.config
        scheduler = Scheduler(self.outside, self.plans, self.executor, config.by_id, zone_data_version())
        scheduler.assign(config.by_id, config.absent)
        scheduler.tell(self.observers.accounted)
        scheduler.pace = Pace(settings.catch_up.at_once, settings.catch_up.ask_above)
        scheduler.tag_limits = settings.concurrency
        self.staff.warm_up()
        return Service(self.outside, self.executor, scheduler, self.renewal)

    @cached_property
    def renewal(self) -> Renewal:
        return Renewal()

    @cached_property
    def reload_bell(self) -> Doorbell:
        return Doorbell(self.config.settings.state / "reload")

    def renew(self, config: Loaded) -> None:
        """From any thread: these jobs and the tools as they are now count from the loop's next turn on."""
        jobs = in_force(self._in_force, Jobs(config.by_id, config.absent))
        gone = self._in_force.keys() - jobs.by_id.keys()
        self._in_force.update(jobs.by_id)
        for job in gone:
            del self._in_force[job]
        self._secrets.append(config.settings.secrets)
        self._settings.append(config.settings)
        self.staff.renew(models_of(config))
        self._tools.update(config.tools)
        self._broken.clear()
        self._broken.update(config.broken)
        self.runner.renew(recipe_of(config.settings, jobs.by_id.values()))
        self.renewal.offer(jobs)
        self.alarm.ring()

    @cached_property
    def _in_force(self) -> dict[str, Job]:
        return dict(self.config.by_id)

    @property
    def secrets(self) -> Secrets:
        """As configured now."""
        return self._secrets[-1]

    def toolbox(self) -> Toolbox:
        """The tools as they are now, the broken ones too."""
        return Toolbox(tools=self._tools, broken=self._broken)

    @cached_property
    def _broken(self) -> dict[str, BrokenTool]:
        return dict(self.config.broken)

    def _secret(self, name: str) -> str:
        """As configured now, not as it was at the start."""
        return self._secrets[-1](name)

    @cached_property
    def _secrets(self) -> list[Secrets]:
        """The last one counts."""
        return [self.config.settings.secrets]

    @cached_property
    def attended(self) -> Attended:
        duty = Tidied(self.alerting, self.attic, self.artifacts, self.config.jobs, self.clock)
        return Attended(duty, self.doorbell, self.alarm.ring)

    @cached_property
    def alerting(self) -> Alerting:
        sources = Sources(self.signs, self.store, self.queries, lambda: dict(self._in_force))
        lookout = Lookout(self.service, sources, self.clock, self.observers)
        alerter = self.reception.alerter
        self.observers.add(alerter)
        return Alerting(lookout, alerter, self.clock, self.observers)

    @cached_property
    def heartbeats(self) -> Heartbeats | None:
        """For whoever listens outside; None where nobody does."""
        wanted = self.config.settings.heartbeat
        if not (wanted.loop or wanted.jobs):
            return None
        from .adapters.heartbeats import Heartbeats, Targets  # noqa: PLC0415 - httpx is slow to import

        every, timeout = wanted.every.total_seconds(), wanted.timeout.total_seconds()
        targets = Targets(wanted.loop, wanted.jobs, every, timeout)
        made = Heartbeats(targets, lambda: self.loop.pulse, self.observers.notice)
        self.observers.add(made)
        return made

    @cached_property
    def loop(self) -> Loop:
        beat = Heartbeat(self.alarm, self.notifier, self.health, self.gauges.status)
        return Loop(self.clock, self.observers, beat)

    def health(self) -> Health:
        """Whether the daemon lives and is ready. From any thread."""
        return health(self.loop.pulse, self.clock.boot())

    @cached_property
    def notifier(self) -> Notifier:
        return Notifier.taken_from()

    @cached_property
    def gauges(self) -> Gauges:
        """What is measured by looking; it hears events too."""
        from .adapters.gauges import Gauges  # noqa: PLC0415 - only who serves needs prometheus_client

        gauges = Gauges(self.watched)
        self.observers.add(gauges)
        return gauges

    def close(self) -> None:
        """Give back what was taken: whoever talks, then processes, then the lease, then the store."""
        self._hush()
        if "runner" in self.__dict__ or self.sandbox is not None:
            self.runner.close()
        if "staff" in self.__dict__:
            self.staff.close()
        if "alarm" in self.__dict__:
            self.alarm.stop()
        for bell in ("doorbell", "reload_bell"):
            if bell in self.__dict__:
                getattr(self, bell).close()
        if "_database" in self.__dict__:
            with suppress(StoreError):  # a store that is away frees its lease by itself
                self.store.resign(self.owner)
            self.store.close()

    def _hush(self) -> None:
        if "alerting" in self.__dict__:
            self.alerting.stop()
        if "reception" in self.__dict__:
            self.reception.close()


def models_of(config: Loaded) -> Mapping[str, Llm]:
    """The model of every job that has one."""
    return {job.id: job.model for job in config.jobs if job.model}


def recipe_of(settings: Settings, jobs: Iterable[Job]) -> Recipe:
    """Which tools the sandbox loads ahead."""
    used = {tool for job in jobs for tool in job.plan.tools}
    return Recipe(folders=settings.tools, tools=tuple(sorted(used)), cache=settings.state / "cache")


def wire(config: Loaded, sinks: Sequence[EventSink] = (), sandbox: Sandbox | None = None) -> Daemon:
    """A daemon over this configuration; `sinks` hear its events, `sandbox` is one that was started already.

    Where somebody listens, what goes wrong is also told in the outbox.
    """
    daemon = Daemon(config, Observers(sinks), incarnation(), sandbox)
    if sinks:
        daemon.observers.add(AlertOutbox(config.settings.outbox / "alerts", daemon.clock))
        daemon.observers.add(Streaks(lambda: daemon.store, lambda: daemon.queries, daemon.observers.notice))
    return daemon


def incarnation() -> str:
    """Names this process among all that ever ran: a recycled process id is not the same owner."""
    return f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
