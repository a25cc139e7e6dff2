"""The few expressions that differ from database to database.

A dialect may leave to the tool whatever it cannot say exactly: a stamp then becomes its own group, and an
amount that is not `plain` travels as text. So every database gives the same figures, only not equally fast.
"""

from __future__ import annotations

from typing import Any, Protocol

import sqlalchemy as sa

Expression = sa.ColumnElement[Any]
Type = sa.types.TypeEngine[Any]
MICRO = 1_000_000
_PLAIN_LIMIT = 1e13
# A half that binary fractions put just below itself (1.005 * 100 = 100.49999999999999) is nudged back to
# where it was written. Amounts below a million million are too small for the nudge to move anything else.
NUDGE = 1.0000000000000005
_SQLITE_STAMP = "????-??-??{}[0-2][0-9]:[0-5][0-9]:[0-5][0-9]"


class Dialect(Protocol):
    """What a database can do exactly by itself."""

    packs_keys: bool

    def factor(self, places: int) -> Expression:
        """How many minor units a major one has."""

    def bucket(self, stamp: Expression, kind: Type, minutes: bool) -> Expression:
        """The stamp cut to its hour (or minute), still readable as a stamp; or the stamp itself."""

    def plain(self, value: Expression, kind: Type) -> Expression:
        """Whether SQL can compute with this number exactly."""

    def text(self, value: Expression, kind: Type) -> Expression:
        """The value as text, empty for NULL."""

    def scaled(self, amount: Expression, factor: Expression, kind: Type) -> Expression:
        """The amount in minor units: a binary float rounded half up, a decimal exact."""

    def micro(self, quantity: Expression, kind: Type) -> Expression:
        """A quantity in millionths."""


class Sqlite:
    """Storage classes go by value, not by column, so each value is looked at."""

    packs_keys = True  # one text key sorts in two thirds of the time that several keys take

    def factor(self, places: int) -> Expression:
        return sa.literal_column(repr(10.0**places * NUDGE))

    def bucket(self, stamp: Expression, kind: Type, minutes: bool) -> Expression:
        cut = sa.func.substr(stamp, 1, 16 if minutes else 13)
        tails = {"": cut, ".[0-9][0-9][0-9][0-9][0-9][0-9]": cut}
        forms = [
            (stamp.op("GLOB")(sa.literal_column(f"'{_SQLITE_STAMP.format(gap)}{tail}'")), key)
            for tail, key in tails.items()
            for gap in (" ", "T")
        ]
        return sa.case(*forms, else_=self.text(stamp, kind))

    def plain(self, value: Expression, kind: Type) -> Expression:
        within = value.between(sa.literal_column(f"-{_PLAIN_LIMIT}"), sa.literal_column(f"{_PLAIN_LIMIT}"))
        if is_number(kind):
            return within  # with a numeric column, text that is no number sorts above every number
        return sa.and_(sa.func.typeof(value) != sa.literal_column("'text'"), within)

    def text(self, value: Expression, kind: Type) -> Expression:
        return _text(value, kind)

    def scaled(self, amount: Expression, factor: Expression, kind: Type) -> Expression:  # noqa: ARG002 - the protocol
        return sa.cast(sa.func.round(amount * factor), sa.Integer)

    def micro(self, quantity: Expression, kind: Type) -> Expression:
        if is_integer(kind):
            return quantity * sa.literal_column("1000000")
        return sa.cast(sa.func.round(quantity * sa.literal_column("1000000.0")), sa.Integer)


class Postgres:
    """Columns have one type each; decimals are exact however large."""

    packs_keys = False

    def factor(self, places: int) -> Expression:
        return sa.literal_column(f"{10**places}")

    def bucket(self, stamp: Expression, kind: Type, minutes: bool) -> Expression:
        if isinstance(kind, sa.DateTime):
            return sa.func.date_trunc(sa.literal_column("'minute'" if minutes else "'hour'"), stamp)
        return stamp

    def plain(self, value: Expression, kind: Type) -> Expression:
        if not is_number(kind):
            return sa.false()
        # NaN counts as greater than every number here, so it is not within
        return value.between(sa.literal_column(f"-{_PLAIN_LIMIT}"), sa.literal_column(f"{_PLAIN_LIMIT}"))

    def text(self, value: Expression, kind: Type) -> Expression:
        return _text(value, kind)

    def scaled(self, amount: Expression, factor: Expression, kind: Type) -> Expression:
        exact = sa.cast(amount, sa.Numeric) * sa.cast(factor, sa.Numeric)
        return sa.func.round(exact) if is_float(kind) else exact

    def micro(self, quantity: Expression, kind: Type) -> Expression:  # noqa: ARG002 - the protocol
        return sa.func.round(sa.cast(quantity, sa.Numeric) * MICRO)


class Other:
    """Any other database: the tool reads every stamp and amount itself, which is exact and slower."""

    packs_keys = False

    def factor(self, places: int) -> Expression:
        return sa.literal_column(f"{10**places}")

    def bucket(self, stamp: Expression, kind: Type, minutes: bool) -> Expression:  # noqa: ARG002 - the protocol
        return stamp

    def plain(self, value: Expression, kind: Type) -> Expression:  # noqa: ARG002 - the protocol
        return sa.false()

    def text(self, value: Expression, kind: Type) -> Expression:  # noqa: ARG002 - the protocol
        return sa.func.coalesce(sa.cast(value, sa.String(255)), "")

    def scaled(self, amount: Expression, factor: Expression, kind: Type) -> Expression:  # noqa: ARG002 - the protocol
        return amount

    def micro(self, quantity: Expression, kind: Type) -> Expression:  # noqa: ARG002 - the protocol
        return quantity * MICRO


def _text(value: Expression, kind: Type) -> Expression:
    plain = value if isinstance(kind, sa.String) else sa.cast(value, sa.Text)
    return sa.func.coalesce(plain, sa.literal_column("''"))


def dialect_of(connection: sa.Connection) -> Dialect:
    """The dialect of an open connection."""
    known: dict[str, type[Dialect]] = {"sqlite": Sqlite, "postgresql": Postgres}
    return known.get(connection.dialect.name, Other)()


def is_number(kind: Type) -> bool:
    """Whether the column is declared to hold numbers."""
    return isinstance(kind, sa.types.Numeric | sa.types.Integer | sa.types.Float)


def is_float(kind: Type) -> bool:
    """Whether the column holds binary floats."""
    return isinstance(kind, sa.types.Float | sa.types.Double)


def is_integer(kind: Type) -> bool:
    """Whether the column holds whole numbers."""
    return isinstance(kind, sa.types.Integer)
