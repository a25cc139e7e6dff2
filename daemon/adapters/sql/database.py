"""The one door to a database: work goes in, its result comes out when it is durable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from .leases import Lease
from .statements import Statements

T = TypeVar("T")


class Database(Protocol):
    """`write` is one transaction, durable on return; `read` sees one moment. Both raise StoreError."""

    @property
    def statements(self) -> Statements: ...

    @property
    def lease(self) -> Lease: ...

    def write(self, work: Callable[[Connection], T]) -> T: ...

    def read(self, work: Callable[[Connection], T]) -> T: ...

    def close(self) -> None: ...
