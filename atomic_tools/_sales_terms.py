"""A described row as SQL terms: what happens to it (`what`), its currency, product, amount and quantity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import sqlalchemy as sa

from ._sales_dialect import Dialect, Expression, Type, is_float, is_number
from ._sales_money import digits, unusual_digits
from ._sales_source import ByExpression, ByPrefix, BySign, ByStatus, Column, Reading
from ._sales_tables import Table

MARK, NAME = "\x1f", "\x1e"
"""Around `what`; between the text of an amount and the order id that it belongs to."""
COMMON = ("EUR", "USD", "GBP", "CNY", "JPY")
"""Asked first, as one comparison costs less than a look into the list of all currencies."""
SALE, FREE, REFUND, ADJUSTMENT, IGNORED, DUPLICATE, UNKNOWN, BY_SIGN = "szraidu?"
"""`FREE` is a sale that makes no order (no quantity or no price); `BY_SIGN` is for the tool to decide."""
LEFT_OUT = {IGNORED: "ignored_status", DUPLICATE: "duplicate", UNKNOWN: "unknown_status"}
COUNTING = (SALE, FREE, REFUND, ADJUSTMENT, BY_SIGN)


@dataclass(frozen=True)
class Terms:
    """The SQL terms of one table and one reading."""

    table: Table
    reading: Reading
    dialect: Dialect
    rank: Expression | None = None
    """1 for the row that counts among several deliveries."""
    lines: Table | None = None
    """Where amount, quantity and product come from, if not from the table itself."""

    def column(self, column: Column) -> Expression:
        return self.table.column(column)

    def _text(self, column: Column) -> Expression:
        return self.dialect.text(self.column(column), self.table.type_of(column))

    @property
    def _goods(self) -> Table:
        return self.lines or self.table

    @cached_property
    def factors(self) -> tuple[tuple[Expression, Type], ...]:
        """The amount's column, or quantity and unit price."""
        names: Sequence[Column | None] = (self.reading.amount,)
        if self.reading.amount is None:
            names = (self.reading.quantity, self.reading.unit_price)
        return tuple((self._goods.column(name), self._goods.type_of(name)) for name in names if name is not None)

    @cached_property
    def amount(self) -> Expression:
        first, *rest = (column for column, _ in self.factors)
        return first * rest[0] if rest else first

    @cached_property
    def plain(self) -> Expression:
        return sa.and_(*(self.dialect.plain(column, kind) for column, kind in self.factors))

    @cached_property
    def what(self) -> Expression:
        """One marked letter; behind `=` the raw text where the tool has to look at it."""
        odd = [self.dialect.text(column, kind) for column, kind in self.factors]
        raw = odd[0] if len(odd) == 1 else odd[0] + literal("|") + odd[1]
        cases = [(self.plain, self._letter(plain=True))]
        if self.rank is not None:
            cases.insert(0, (self.rank > 1, mark(DUPLICATE)))
        kind = self.reading.kind
        if isinstance(kind, ByStatus):
            status = self.column(kind.column)
            listed = (*kind.sale, *kind.refund, *kind.adjustment, *kind.ignored)
            unlisted = sa.or_(status.is_(None), status.not_in(literals(listed)))
            cases.insert(-1, (unlisted, literal(f"{MARK}{UNKNOWN}=") + self._text(kind.column) + literal(MARK)))
        left = self._letter(plain=False)
        return sa.case(*cases, else_=left + literal("=") + raw + self._named() + literal(MARK))

    def _named(self) -> Expression:
        # a number column holds few amounts that are no numbers, so each may well be a group of its own
        return literal(NAME) + self._text(self.reading.order_id) if self.all_numbers else literal("")

    @property
    def all_numbers(self) -> bool:
        """Whether the amount's columns are declared to hold numbers."""
        return all(is_number(kind) for _, kind in self.factors)

    def _letter(self, *, plain: bool) -> Expression:
        show = mark if plain else _open
        sale = self._sale(show, plain=plain)
        conditions = {IGNORED: None, REFUND: None, ADJUSTMENT: None} | self._conditions(plain=plain)
        cases = [(condition, show(letter)) for letter, condition in conditions.items() if condition is not None]
        return sa.case(*cases, else_=sale) if cases else sale

    def _sale(self, show: Callable[[str], Expression], *, plain: bool) -> Expression:
        if not plain:
            return show(BY_SIGN if isinstance(self.reading.kind, BySign) else SALE)
        if len(self.factors) == 1:
            return show(SALE)
        return sa.case((sa.and_(*(column > 0 for column, _ in self.factors)), show(SALE)), else_=show(FREE))

    def _conditions(self, *, plain: bool) -> dict[str, Expression | None]:
        match self.reading.kind:
            case BySign():
                return {REFUND: self.amount < 0} if plain else {}
            case ByStatus() as kind:
                column = self.column(kind.column)
                lists = {IGNORED: kind.ignored, REFUND: kind.refund, ADJUSTMENT: kind.adjustment}
                return {letter: column.in_(literals(texts)) for letter, texts in lists.items() if texts}
            case ByPrefix() as kind:
                return {
                    IGNORED: self._begins(kind.ignored),
                    REFUND: self._begins(kind.refund),
                    ADJUSTMENT: self._begins(kind.adjustment),
                }
            case ByExpression() as kind:
                told = {IGNORED: kind.ignored, REFUND: kind.refund, ADJUSTMENT: kind.adjustment}
                return {letter: sa.literal_column(f"({sql})", sa.Boolean) for letter, sql in told.items() if sql}

    def _begins(self, prefixes: tuple[str, ...]) -> Expression | None:
        text = self._text(self.reading.order_id)
        begins = [sa.func.substr(text, 1, len(prefix)) == literal(prefix) for prefix in prefixes]
        return sa.or_(*begins) if begins else None

    @cached_property
    def exceptional(self) -> Expression:
        """Whether the row should be pointed out by its order id."""
        return sa.not_(self.plain) if self.rank is None else sa.or_(sa.not_(self.plain), self.rank > 1)

    @cached_property
    def currency(self) -> Expression | None:
        """The currency's text, or None where the reading names one for all rows."""
        name = self.reading.currency_column
        if name is None:
            return None
        text = self._text(name)
        if self.reading.currency is None:
            return text
        return sa.case((text == literal(""), literal(self.reading.currency)), else_=text)

    @cached_property
    def product(self) -> Expression | None:
        name = self.reading.product
        return None if name is None else self.dialect.text(self._goods.column(name), self._goods.type_of(name))

    @cached_property
    def minor(self) -> Expression:
        """Minor units, and for a refund never above zero; without meaning where `what` is not plain."""
        kinds = [kind for _, kind in self.factors]
        kind = next((each for each in kinds if is_float(each)), kinds[0])
        scaled = self.dialect.scaled(self.amount, self._factor(), kind)
        return scaled if isinstance(self.reading.kind, BySign) else self._given_back(scaled)

    def _given_back(self, value: Expression) -> Expression:
        refund = self._conditions(plain=True).get(REFUND)
        return value if refund is None else sa.case((refund, -sa.func.abs(value)), else_=value)

    def _factor(self) -> Expression:
        factor = self.dialect.factor
        if self.reading.amount_in == "minor":
            return factor(0)
        if self.currency is None:
            return factor(digits(self.reading.currency or ""))
        currency = self._spelled_currency()
        common = [(currency == literal(code), factor(digits(code))) for code in COMMON]
        unusual = [
            (currency.in_(literals((*codes, *(code.lower() for code in codes)))), factor(places))
            for places, codes in unusual_digits().items()
        ]
        return sa.case(*common, *unusual, else_=factor(2))

    def _spelled_currency(self) -> Expression:
        name = self.reading.currency_column
        assert name is not None  # noqa: S101 - told apart by the caller
        assert self.currency is not None  # noqa: S101 - the same
        # NULL equals no code, so without a default the column itself will do
        return self.currency if self.reading.currency else self.column(name)

    @cached_property
    def quantity(self) -> Expression | None:
        """Millionths of a piece, for a refund never above zero; None where each row is one piece."""
        name = self.reading.quantity
        return (
            None
            if name is None
            else self._given_back(self.dialect.micro(self._goods.column(name), self._goods.type_of(name)))
        )


def literal(text: str) -> Expression:
    """A text constant written into the statement: bound values would be compared once a row."""
    quoted = text.replace("'", "''")
    return sa.literal_column(f"'{quoted}'", sa.Text)


def literals(texts: Sequence[str]) -> list[Expression]:
    return [literal(text) for text in texts]


def mark(letter: str) -> Expression:
    return literal(f"{MARK}{letter}{MARK}")


def _open(letter: str) -> Expression:
    return literal(f"{MARK}{letter}")
