"""A database whose commits are timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from .database import Database
from .leases import Lease
from .statements import Statements

T = TypeVar("T")


class Metered:
    """A `Database` over another; `told` hears, in the writing thread, how many seconds a write took that was stored."""

    def __init__(self, database: Database, told: Callable[[float], None]) -> None:
        self._database = database
        self._told = told

    @property
    def statements(self) -> Statements:
        return self._database.statements

    @property
    def lease(self) -> Lease:
        return self._database.lease

    def write(self, work: Callable[[Connection], T]) -> T:
        began = time.perf_counter()
        result = self._database.write(work)
        self._told(time.perf_counter() - began)
        return result

    def read(self, work: Callable[[Connection], T]) -> T:
        return self._database.read(work)

    def close(self) -> None:
        self._database.close()
