"""The tables and columns that a description names: found in the source, or refused with the nearest name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ._contract import MisconfiguredError
from ._sales_source import Column, Mapping, Reading, Select, Sql

Expression = sa.ColumnElement[Any]
OPTIONAL = ("amount", "quantity", "unit_price", "product")


@dataclass(frozen=True, slots=True)
class Table:
    """One FROM element and the types of its columns, as far as the source tells them."""

    name: str
    clause: sa.FromClause
    types: dict[str, sa.types.TypeEngine[Any]]
    primary_key: tuple[str, ...] = ()
    indexed: frozenset[str] = frozenset()
    """Columns that an index begins with."""

    def column(self, column: Column) -> Expression:
        """The column or expression as SQL. Raises MisconfiguredError."""
        if isinstance(column, Sql):
            return sa.literal_column(f"({column.sql})")
        self._check(column)
        return self.clause.c[column]

    def type_of(self, column: Column) -> sa.types.TypeEngine[Any]:
        """The declared type; NullType where nobody declared one."""
        return sa.types.NullType() if isinstance(column, Sql) else self.types[column]

    def _check(self, column: str) -> None:
        if column not in self.types:
            raise MisconfiguredError(
                f"{self.name} has no column {column}", hint=nearest(column, self.types, "its columns are")
            )


def nearest(name: str, known: Iterable[str], lead: str) -> str:
    """The most similar known name as a hint, or what there is."""
    names = sorted(known)
    similar = difflib.get_close_matches(name.lower(), [each.lower() for each in names], n=1)
    if similar:
        return f"did you mean {next(each for each in names if each.lower() == similar[0])}?"
    return f"{lead}: {', '.join(names[:12])}" if names else "there are none"


def find_table(connection: sa.Connection, name: str) -> Table:
    """The table or view of that name (`schema.table` where needed). Raises MisconfiguredError."""
    schema, _, bare = name.rpartition(".")
    inspector = sa.inspect(connection)
    try:
        found = inspector.get_columns(bare, schema=schema or None)
        key = inspector.get_pk_constraint(bare, schema=schema or None).get("constrained_columns", ())
        indexes = inspector.get_indexes(bare, schema=schema or None)
    except sa.exc.NoSuchTableError:
        raise MisconfiguredError(
            f"the source has no table {name}", hint=_similar_table(inspector, schema, bare)
        ) from None
    types = {column["name"]: column["type"] for column in found}
    clause = sa.table(bare, *(sa.column(each, kind) for each, kind in types.items()), schema=schema or None)
    leading = frozenset(str(index["column_names"][0]) for index in indexes if index["column_names"])
    return Table(name, clause, types, tuple(key), leading)


def _similar_table(inspector: sa.Inspector, schema: str, bare: str) -> str:
    names = [*inspector.get_table_names(schema or None), *inspector.get_view_names(schema or None)]
    return nearest(bare, names, "its tables are")


def find_query(connection: sa.Connection, select: Select, bounds: Callable[[], dict[str, Any]]) -> Table:
    """The user's SELECT as a FROM element; its columns are learned from an empty execution."""
    text = sa.text(select.sql.rstrip().rstrip(";"))
    unknown = set(text.compile().params) - {"start", "end"}
    if unknown:
        raise MisconfiguredError(
            f"the SELECT has a parameter :{min(unknown)}",
            hint=r"only :start and :end exist; write \: for a colon",
        )
    probe = sa.select(sa.text("*")).select_from(text.columns().subquery("source")).where(sa.false())
    names = list(connection.execute(probe, bounds()).keys())
    clause = text.columns(*(sa.column(name) for name in names)).subquery("source")
    return Table("the SELECT", clause, dict.fromkeys(names, sa.types.NullType()))


def completed(reading: Reading, table: Table) -> Reading:
    """A Select with the documented optional columns that it yields; a Mapping as it is."""
    if isinstance(reading, Mapping):
        return reading
    found: dict[str, Any] = {name: name for name in OPTIONAL if getattr(reading, name) is None and name in table.types}
    if reading.currency_column is None and "currency" in table.types:
        found["currency_column"] = "currency"
    if "kind" in table.types and "kind" not in reading.model_fields_set:
        found["kind"] = {"by": "status", "column": "kind", "ignored": ("ignored",)}
    whole = type(reading).model_validate({**reading.model_dump(exclude_unset=True), **found})
    if whole.amount is None and (whole.quantity is None or whole.unit_price is None):
        raise MisconfiguredError(
            "the SELECT yields neither amount nor quantity and unit_price", hint="name one so: AS amount"
        )
    if whole.currency is None and whole.currency_column is None:
        raise MisconfiguredError("the SELECT yields no currency", hint="name one AS currency, or set `currency: EUR`")
    return whole
