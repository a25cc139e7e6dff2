"""How a user describes the own sales database: a column mapping, or a SELECT with documented column names."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

StoredAs = Literal["utc", "local", "offset", "epoch_seconds", "epoch_millis"]


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Sql(_Described):
    """An SQL expression over the table's columns, where a plain column name is not enough."""

    sql: str = Field(min_length=1)


Column = Annotated[str, Field(min_length=1)] | Sql
"""A column's name, or an SQL expression."""


class BySign(_Described):
    """A negative amount is a refund, anything else a sale."""

    by: Literal["sign"] = "sign"


class ByStatus(_Described):
    """The text of a column tells; a row whose status is listed nowhere is left out and named."""

    by: Literal["status"]
    column: Column
    sale: tuple[str, ...] = ("sale",)
    refund: tuple[str, ...] = ("refund",)
    adjustment: tuple[str, ...] = ("adjustment",)
    ignored: tuple[str, ...] = ()
    """Statuses that are not sales at all (cancelled, pending); counted in a finding."""


class ByPrefix(_Described):
    """How the order id begins tells; an id with none of the prefixes is a sale."""

    by: Literal["prefix"]
    refund: tuple[str, ...] = ()
    adjustment: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


class ByExpression(_Described):
    """SQL conditions tell, asked in the order ignored, refund, adjustment; otherwise a sale."""

    by: Literal["expression"]
    refund: str | None = None
    adjustment: str | None = None
    ignored: str | None = None


Kind = Annotated[BySign | ByStatus | ByPrefix | ByExpression, Field(discriminator="by")]


class Lines(_Described):
    """A second table with the orders' lines: it names the products; order totals stay those of the orders."""

    table: str
    order_id: str
    """The column that points to the order."""
    product: Column
    amount: Column | None = None
    quantity: Column | None = None
    unit_price: Column | None = None


class Reading(_Described):
    """What a column mapping and a SELECT have in common: how to read a row."""

    order_id: Column = "order_id"
    timestamp: Column = "timestamp"
    stored_as: StoredAs = "utc"
    """What a stamp without offset means (`local`: the shop's zone); `offset`: each has its own."""
    naive_means: Literal["utc", "local"] | None = None
    """With `offset`: what a stamp without one means; unset, such a row is rejected and named."""
    timestamp_format: str | None = None
    """strptime pattern of texts that are not ISO 8601, such as %d/%m/%Y; other forms are rejected."""
    amount: Column | None = None
    quantity: Column | None = None
    unit_price: Column | None = None
    """Times quantity: the amount where there is no `amount`. Only lines with both above 0 make an order."""
    amount_in: Literal["major", "minor"] = "major"
    """`minor` for a column of cents."""
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    """The currency of every row, or of the rows whose currency column is empty."""
    currency_column: Column | None = None
    product: Column | None = None
    kind: Kind = BySign()
    version: Column | None = None
    """Of several deliveries of a row (see `unique_by`), the highest version wins; the others are named."""
    unique_by: tuple[str, ...] = ()
    """Columns that name a row; with `version` and none given, the order id."""

    @model_validator(mode="after")
    def _naive_only_beside_offset(self) -> Self:
        if self.naive_means and self.stored_as != "offset":
            raise ValueError("naive_means belongs to stored_as: offset; utc and local already say it")
        return self


class Mapping(Reading):
    """A table of orders or of order lines, column by column."""

    table: str
    """Name of the table or view, with its schema where needed: `sales.orders`."""
    where: str | None = None
    """An SQL condition on every row, such as `shop_id = 7`."""
    lines: Lines | None = None

    @model_validator(mode="after")
    def _has_amount_and_currency(self) -> Self:
        if self.amount is None and (self.quantity is None or self.unit_price is None):
            raise ValueError("name the `amount` column, or both `quantity` and `unit_price`")
        if self.currency is None and self.currency_column is None:
            raise ValueError("name the `currency` of all rows (EUR), or the `currency_column`")
        return self


class Select(Reading):
    """A SELECT of sale rows between `:start` and `:end`.

    It yields `order_id`, `timestamp`, and `amount` or `quantity` and `unit_price`; where it also yields
    `currency`, `product` or `kind` (sale, refund, adjustment, ignored), these are used too. The bounds come as
    the column stores stamps (`stored_as`), as text like 2026-03-10 00:00:00 or in the form of `timestamp_format`.
    """

    sql: str

    @model_validator(mode="after")
    def _is_bounded_select(self) -> Self:
        if not self.sql.lstrip().lower().startswith(("select", "with")):
            raise ValueError("`sql` must be a single SELECT (or WITH ... SELECT)")
        if ":start" not in self.sql or ":end" not in self.sql:
            raise ValueError("`sql` must be bounded by :start (included) and :end (excluded)")
        return self
