"""Small shops in SQLite for the data tools' tests, and the two tools called as the daemon would call them."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from atomic_tools import ToolContext
from atomic_tools._sales import CurrencyKpis, SalesKpis
from atomic_tools.calculate_kpis import Input as KpiInput
from atomic_tools.calculate_kpis import Output as KpiOutput
from atomic_tools.calculate_kpis import calculate_kpis
from atomic_tools.db_query_sales import Input, Output, db_query_sales

MODES = ("aggregate", "rows")
DAY = date(2026, 3, 10)
SIMPLE = {"table": "orders", "order_id": "id", "timestamp": "at", "amount": "amount", "currency": "EUR"}
_calls = count()


def context(folder: Path, *, seconds: float = 60, **secrets: str) -> ToolContext:
    """A fresh folder and a deadline, as each call gets them."""
    workdir = folder / f"call-{next(_calls)}"
    workdir.mkdir()
    return ToolContext(workdir, datetime.now(UTC) + timedelta(seconds=seconds), secrets=secrets)


def shop(folder: Path, rows: Iterable[Sequence[Any]], columns: str = "id INTEGER, at TEXT, amount") -> str:
    """The URL of a new SQLite file with one table `orders`."""
    path, made = folder / f"shop-{next(_calls)}.db", list(rows)
    width = len(made[0]) if made else 0
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE orders ({columns})")
        if made:
            connection.executemany(f"INSERT INTO orders VALUES ({', '.join('?' * width)})", made)
    return f"sqlite:///{path}"


def run_sql(url: str, script: str) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection, connection:
        connection.executescript(script)


def fetch(folder: Path, url: str, mapping: dict[str, Any] | None = None, **fields: Any) -> tuple[Output, ToolContext]:
    """Call db_query_sales; `mapping` completes the simple one, unless `select` is among the fields."""
    if "select" not in fields:
        fields["mapping"] = {**SIMPLE, **(mapping or {})}
    where = context(folder)
    request = Input(**{"date": DAY, "timezone": "UTC", "url": url, **fields})
    output = db_query_sales(request, where)
    assert isinstance(output, Output)
    return output, where


def compute(output: Output, where: ToolContext, **fields: Any) -> KpiOutput:
    """Hand the artifact on as the daemon does: under its digest, in the next call's folder."""
    inbox = where.workdir / "in"
    inbox.mkdir(exist_ok=True)
    shutil.copy(where.workdir / "out" / output.data.name, inbox / output.data.sha256)
    result = calculate_kpis(KpiInput(data=output.data, **fields), where)
    assert isinstance(result, KpiOutput)
    return result


def kpis(
    folder: Path,
    url: str,
    mapping: dict[str, Any] | None = None,
    top: int = 10,
    average_of: str = "gross",
    **fields: Any,
) -> SalesKpis:
    """The figures, after both modes were seen to give the same ones."""
    found = []
    for mode in MODES:
        output, where = fetch(folder, url, mapping, mode=mode, **fields)
        found.append(compute(output, where, top=top, average_of=average_of).kpis)
    grouped, single = found
    assert figures(grouped) == figures(single)
    return single


def figures(found: SalesKpis) -> dict[str, Any]:
    """Everything that must not depend on the mode: all but the time of the query and the examples."""
    told = found.model_dump(exclude={"as_of", "findings"})
    return {**told, "findings": [(each.code, each.count) for each in found.findings]}


def only(found: SalesKpis) -> CurrencyKpis:
    """The figures of a shop with one currency."""
    assert len(found.currencies) == 1
    return found.currencies[0]


def findings(found: SalesKpis | Output) -> dict[str, int]:
    return {each.code: each.count for each in found.findings}


def examples(found: SalesKpis | Output, code: str) -> str:
    return " ".join(each for finding in found.findings if finding.code == code for each in finding.examples)
