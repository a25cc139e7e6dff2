"""Every Store that must behave the same, each with its queries and a way to let time pass for its lease."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import update

from daemon.adapters.sql import SqlQueries, open_store
from daemon.adapters.sql.alert_book import SqlAlertBook
from daemon.adapters.sql.leases import Host
from daemon.adapters.sql.schema import LEASES
from daemon.ports import AlertBook, Queries, Store
from daemon.testing.memory_store import MemoryStore


class Boot:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass(frozen=True)
class Kit:
    store: Store
    queries: Queries
    alerts: AlertBook
    lapse: Callable[[], None]
    """The lease runs out."""


def in_memory(*, strict: bool) -> Kit:
    boot = Boot()
    store = MemoryStore(strict=strict, boot=boot)

    def lapse() -> None:
        boot.seconds += 3600

    return Kit(store, store, store.alerts, lapse)


def on_sqlite(path: Path) -> Kit:
    boot = Boot()
    store = open_store(path, host=Host("boot/pids", 1, boot, {1: 7}.get))

    def lapse() -> None:
        boot.seconds += 3600

    return Kit(store, SqlQueries(store.database), SqlAlertBook(store.database), lapse)


def on_postgres(address: str) -> Kit:
    store = open_store(address)

    def lapse() -> None:
        store.database.write(lambda connection: connection.execute(update(LEASES).values(expires=0.0)))

    return Kit(store, SqlQueries(store.database), SqlAlertBook(store.database), lapse)
