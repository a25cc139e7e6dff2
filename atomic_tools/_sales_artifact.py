"""The columnar artifact between the two tools: one schema for grouped and for single rows."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, Self

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ConfigDict

from ._sales import Finding

MEDIA_TYPE = "application/vnd.apache.parquet"
FACETS = ("all", "order", "line", "count")
KINDS = ("sale", "refund", "adjustment")
MEASURES = ("orders", "quantity", "minor", "rest", "rows")
TOGETHER = 50_000
_ABOUT = b"clockwright.sales"


class About(BaseModel):
    """What the file covers; travels in the file's own metadata."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal[1] = 1
    mode: Literal["aggregate", "rows"]
    date: date
    timezone: str
    as_of: datetime
    distinct_orders: bool
    """Whether the numbers in `orders` can be added up; otherwise order ids have to be counted."""
    findings: tuple[Finding, ...] = ()


def schema(*, whole_ids: bool = False) -> pa.Schema:
    """`minor` is whole minor units, `rest` millionths of one, `quantity` millionths of a piece."""
    name = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("at", pa.timestamp("us", "UTC")),
            ("facet", name),
            ("kind", name),
            ("currency", name),
            ("product", name),
            ("order_id", pa.int64() if whole_ids else pa.string()),
            ("orders", pa.int64()),
            ("quantity", pa.int64()),
            ("minor", pa.int64()),
            ("rest", pa.int64()),
            ("rows", pa.int64()),
        ]
    )


class Writer:
    """Appends tables to a file, small ones together; memory stays that of one batch."""

    def __init__(self, path: Path, columns: pa.Schema) -> None:
        self._file = pq.ParquetWriter(path, columns, compression="snappy", store_schema=True)
        self._waiting: list[pa.Table] = []
        self.rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, table: pa.Table) -> None:
        """Add the table's rows."""
        self.rows += table.num_rows
        self._waiting.append(table)
        if sum(each.num_rows for each in self._waiting) >= TOGETHER:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._file.write_table(pa.concat_tables(self._waiting).unify_dictionaries())
            self._waiting = []

    def finish(self, about: About) -> None:
        """Write what waits, and the description into the file's footer."""
        self._flush()
        self._file.add_key_value_metadata({_ABOUT: about.model_dump_json().encode()})


def about(path: Path) -> About | None:
    """The description of an artifact; None when the file is not one of ours."""
    try:
        metadata: dict[bytes, bytes] = pq.read_metadata(path).metadata or {}
    except pa.ArrowInvalid:
        return None
    return About.model_validate_json(metadata[_ABOUT]) if _ABOUT in metadata else None


def batches(path: Path, columns: list[str], size: int = 200_000) -> Any:
    """The file's rows as record batches."""
    return pq.ParquetFile(path).iter_batches(batch_size=size, columns=columns)
