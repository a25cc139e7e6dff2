"""The composition root: the only place that knows which adapter stands behind which port."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .adapters.alert_outbox import AlertOutbox
from .adapters.artifacts import LocalArtifacts
from .adapters.clock import SystemClock
from .adapters.doorbell import Doorbell
from .adapters.intent_journal import IntentJournal
from .adapters.llm.staff import Staff
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
from .adapters.tools import SandboxRunner
from .adapters.zone_data import zone_data_version
from .config import Loaded, Settings, load, read_settings
from .domain.draft import Toolbox
from .domain.llm import Llm
from .in_force import InForce, models_of, recipe_of
from .ports import AlertBook, Attic, EventSink, Queries, Signs, Store, StoreError, StoreUnavailable
from .registry import discover
from .runtime.commands import StoreCommands
from .runtime.executor import Executor
from .runtime.observers import Observers
from .runtime.outside import Outside
from .runtime.plans import Plans
from .runtime.streaks import Streaks

if TYPE_CHECKING:
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
    listeners: list[Callable[[], None]] = field(default_factory=list)
    """Called, from any thread, when there may be something to do."""

    @cached_property
    def now(self) -> InForce:
        """What is configured now; `config` is what it was at the start."""
        return InForce(self.config)

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
        return open_office(models, spent, self.clock, self.artifacts, self.observers.notice, self.now.secrets)

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
            secret=self.now.secrets,
            outbox=self.config.settings.outbox,
            tools=self.now.tools,
            journal=IntentJournal(self.config.settings.state / "intents.log", self.clock),
        )

    @cached_property
    def commands(self) -> StoreCommands:
        return StoreCommands(
            store=self.store,
            queries=self.queries,
            plans=self.plans,
            clock=self.clock,
            jobs=lambda: self.now.jobs,
            ring=self._rouse,
            zone_data=zone_data_version(),
        )

    @cached_property
    def alert_book(self) -> AlertBook:
        return SqlAlertBook(self._database)

    def _rouse(self) -> None:
        """Whoever carries runs, here or in another process, looks at once."""
        self.doorbell.ring()
        self._ring()

    def _ring(self) -> None:
        for listener in self.listeners:
            listener()

    @cached_property
    def executor(self) -> Executor:
        parallel = self.config.settings.parallel_runs
        return Executor(self.outside, self.plans, parallel=parallel, on_idle=self._ring)

    @cached_property
    def reload_bell(self) -> Doorbell:
        return Doorbell(self.config.settings.state / "reload")

    def close(self) -> None:
        """Give back what was taken: processes, then the lease, then the store."""
        if "runner" in self.__dict__ or self.sandbox is not None:
            self.runner.close()
        if "staff" in self.__dict__:
            self.staff.close()
        for bell in ("doorbell", "reload_bell"):
            if bell in self.__dict__:
                getattr(self, bell).close()
        if "_database" in self.__dict__:
            with suppress(StoreError):  # a store that is away frees its lease by itself
                self.store.resign(self.owner)
            self.store.close()


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
