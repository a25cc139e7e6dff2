"""Reads fetched rows, of either mode, into columns: instants, letters, currencies, exact amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ._contract import BadDataError
from ._sales_amounts import MICRO, odd_amount
from ._sales_money import currency_code, split
from ._sales_sql import Fetch
from ._sales_stamps import Micros, Stamps
from ._sales_terms import LEFT_OUT, MARK, NAME, REFUND

Columns = dict[str, Sequence[Any]]
Mask = npt.NDArray[np.bool_]


@dataclass
class Batch:
    """Some fetched rows, column by column. `bad_amount` marks those whose amount is no number."""

    raw: Columns
    at: Micros
    rows: Micros
    letters: npt.NDArray[np.str_]
    codes: tuple[str | None, ...]
    """The currencies that occur; None for a text that is no currency."""
    currency: npt.NDArray[np.int32]
    """Index into `codes`."""
    minor: Micros
    rest: Micros
    quantity: Micros
    odd: dict[int, str]
    """Rows that SQL left to the tool -> their text."""
    named: dict[int, str]
    """Some of them -> their order id."""
    bad_amount: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.bad_amount = np.zeros(len(self.at), dtype=np.bool_)

    @property
    def known_currency(self) -> Mask:
        known: Mask = np.array([code is not None for code in self.codes], dtype=np.bool_)[self.currency]
        return known


@dataclass(frozen=True)
class Reader:
    """How the rows of one source are read."""

    stamps: Stamps
    currency: str | None
    in_minor: bool

    def read(self, fetch: Fetch, rows: Sequence[Sequence[Any]]) -> Batch:
        """One batch of fetched rows. Raises BadDataError where a sum is too large to be exact."""
        raw = _unpacked(fetch, rows)
        letters, told = _whats(raw["what"])
        odd = {row: text.partition(NAME)[0] for row, text in told.items()}
        named = {row: text.partition(NAME)[2] for row, text in told.items() if NAME in text}
        codes, currency = self._currencies(raw, len(rows))
        counts = _whole(raw.get("rows", [1] * len(rows)))
        minor, rest, quantity = _amounts(raw, odd, counts)
        at = self.stamps.micros(raw["stamp"])
        batch = Batch(raw, at, counts, letters, codes, currency, minor, rest, quantity, odd, named)
        self._read_odd(batch)
        return batch

    def _currencies(self, raw: Columns, size: int) -> tuple[tuple[str | None, ...], npt.NDArray[np.int32]]:
        if "currency" not in raw:
            return (self.currency,), np.zeros(size, dtype=np.int32)
        encoded = pa.array(raw["currency"], pa.string()).dictionary_encode()
        return tuple(currency_code(each) for each in encoded.dictionary.to_pylist()), encoded.indices.to_numpy()

    def _read_odd(self, batch: Batch) -> None:
        for row, text in batch.odd.items():
            currency = batch.codes[batch.currency[row]]
            if batch.letters[row] in LEFT_OUT or currency is None:
                continue
            amount = odd_amount(str(batch.letters[row]), text, currency, in_minor=self.in_minor)
            if amount is None:
                batch.bad_amount[row] = True
                continue
            times = int(batch.rows[row])
            batch.letters[row] = amount.letter
            batch.minor[row], batch.rest[row] = amount.minor * times, amount.rest * times
            if amount.quantity is not None:
                batch.quantity[row] = amount.quantity * times
        taken_back = batch.letters == REFUND
        batch.quantity[taken_back] = -np.abs(batch.quantity[taken_back])


def _unpacked(fetch: Fetch, rows: Sequence[Sequence[Any]]) -> Columns:
    columns: Columns = dict(zip(fetch.names, zip(*rows, strict=True), strict=True))
    if not fetch.packed:
        return columns
    # `what` is marked on both sides; the product comes last, so it stays whole whatever is in it
    keys = zip(*(key.split(MARK, len(fetch.packed) - 1) for key in columns.pop("key")), strict=True)
    return {**dict(zip(fetch.packed, keys, strict=True)), **columns}


def _whats(texts: Sequence[str]) -> tuple[npt.NDArray[np.str_], dict[int, str]]:
    encoded = pa.array(texts, pa.string()).dictionary_encode()
    told = [text.strip(MARK).partition("=") for text in encoded.dictionary.to_pylist()]
    index = encoded.indices.to_numpy()
    letters = np.array([letter for letter, _, _ in told], dtype="U1")[index]
    is_odd = np.array([bool(sign) for _, sign, _ in told], dtype=np.bool_)[index]
    return letters, {int(row): told[index[row]][2] for row in np.flatnonzero(is_odd)}


def _amounts(raw: Columns, odd: dict[int, str], counts: Micros) -> tuple[Micros, Micros, Micros]:
    try:
        minor, rest = _minor(raw.get("minor", ()), odd, len(counts))
        return minor, rest, _quantity(raw.get("quantity"), counts)
    except (OverflowError, pa.ArrowInvalid):
        raise BadDataError("a sum passes 92,233,720,368,547,758 major units and cannot be exact") from None


def _minor(values: Sequence[Any], odd: dict[int, str], size: int) -> tuple[Micros, Micros]:
    if not values:
        return np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    if odd:
        values = [0 if row in odd else value for row, value in enumerate(values)]
    found = pa.array(values)
    if pa.types.is_integer(found.type):
        return found.to_numpy().copy(), np.zeros(size, dtype=np.int64)
    parts = [split(Decimal(value)) for value in values]
    return _whole([minor for minor, _ in parts]), _whole([rest for _, rest in parts])


def _quantity(values: Sequence[Any] | None, counts: Micros) -> Micros:
    if values is None:
        return counts * MICRO
    return _whole([0 if value is None else int(value) for value in values])


def _whole(values: Sequence[int]) -> Micros:
    return np.array(values, dtype=np.int64)
