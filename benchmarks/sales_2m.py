"""Two million orders in one day: what the two data tools cost beside the source's own grouped pass.

    python -m benchmarks.sales_2m [--orders N] [--rounds N] [--shape plain|rich]

Each measurement is a fresh process, the three ways take turns, imports are not counted (the sandbox has them
loaded), peak memory is that of the whole process. `plain` is a shop with whole cents in one currency, `rich`
has float amounts, a currency column and a status.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

DAY, ORDERS = "2026-03-10", 2_000_000
RESULTS = Path(__file__).parent / "results" / "sales_2m.json"
BUDGETS = {"aggregate": 1.5, "rows": 3.0}
MEMORY_MB = 400
COLUMNS = {
    "plain": "id INTEGER PRIMARY KEY, at TEXT, product TEXT, quantity INTEGER, amount INTEGER",
    "rich": "id INTEGER PRIMARY KEY, at TEXT, product TEXT, quantity INTEGER, amount REAL, currency TEXT, status TEXT",
}
MAPPING: dict[str, Any] = {"table": "orders", "order_id": "id", "timestamp": "at", "amount": "amount"}
MAPPINGS = {
    "plain": MAPPING | {"amount_in": "minor", "currency": "EUR", "product": "product", "quantity": "quantity"},
    "rich": MAPPING
    | {
        "currency_column": "currency",
        "product": "product",
        "quantity": "quantity",
        "kind": {"by": "status", "column": "status", "sale": ["paid"], "refund": ["refunded"]},
    },
}


def make(path: Path, orders: int, shape: str) -> None:
    """A day of orders in the order of time, as a shop writes them."""
    marks = ", ".join("?" * (COLUMNS[shape].count(",") + 1))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"CREATE TABLE orders ({COLUMNS[shape]})")
        connection.executemany(f"INSERT INTO orders VALUES ({marks})", _rows(orders, shape))


def _rows(orders: int, shape: str) -> Iterator[tuple[Any, ...]]:
    random = Random(1)
    for number in range(orders):
        second = number * 86_400 // orders
        at = f"{DAY}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        product, quantity = f"Product {int(random.random() ** 2 * 200)}", 1 + number % 3
        cents = random.randrange(100, 20_000)
        if shape == "plain":
            yield number, at, product, quantity, cents
        else:
            status = "paid" if random.random() > 0.03 else "refunded"
            currency = "EUR" if random.random() > 0.2 else "USD"
            yield number, at, product, quantity, cents / 100, currency, status


def source(path: Path, shape: str) -> dict[str, Any]:
    """The source's own pass: hour x product; in the rich shop also currency and status, not to be mixed."""
    keys = ["substr(at, 12, 2)", "product", *(("currency", "status") if shape == "rich" else ())]
    sql = f"""SELECT {", ".join(keys)}, count(*), sum(amount), sum(quantity) FROM orders
        WHERE at >= '{DAY}' AND at < '2026-03-11' GROUP BY {", ".join(keys)}"""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return _timed(lambda: connection.execute(sql).fetchall())[0]


def tool(path: Path, shape: str, mode: str) -> dict[str, Any]:
    """One call of db_query_sales, and then one of calculate_kpis."""
    import pandas as pd  # noqa: F401 - the sandbox has it loaded too

    from atomic_tools import ToolContext, calculate_kpis, db_query_sales

    asked = {
        "url": f"sqlite:///{path}",
        "date": DAY,
        "timezone": "UTC",
        "mode": mode,
        "mapping": MAPPINGS[shape],
    }
    request = db_query_sales.Input.model_validate(asked)
    with tempfile.TemporaryDirectory() as folder:
        context = ToolContext(Path(folder), datetime.now(UTC) + timedelta(minutes=30))
        measured, output = _timed(lambda: db_query_sales.db_query_sales(request, context))
        (context.workdir / "in").mkdir()
        shutil.move(context.workdir / "out" / output.data.name, context.path(output.data))
        kpi_request = calculate_kpis.Input(data=output.data)
        computed, found = _timed(lambda: calculate_kpis.calculate_kpis(kpi_request, context))
    told = found.kpis.model_dump(mode="json", exclude={"as_of"})
    return (
        measured | {f"kpi_{name}": computed[name] for name in ("seconds", "cpu")} | {"mb": computed["mb"], "kpis": told}
    )


def _timed(work: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    wall, cpu = time.perf_counter(), time.process_time()
    made = work()
    taken = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return taken | {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}, made


def measure(path: Path, shape: str, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Every way in every round, each in a process of its own."""
    found: dict[str, list[dict[str, Any]]] = {"source": [], "aggregate": [], "rows": []}
    for _ in range(rounds):
        for way, measured in found.items():
            command = [
                sys.executable,
                "-m",
                "benchmarks.sales_2m",
                "--measure",
                way,
                str(path),
                "--shape",
                shape,
            ]
            told = subprocess.run(command, check=True, capture_output=True, text=True)
            measured.append(json.loads(told.stdout))
    return found


def summary(found: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Medians, and ratios to the source's pass: by processor time, which a busy machine disturbs less."""
    base = _medians(found["source"])
    return {way: _judged(way, _medians(measured), base) for way, measured in found.items()}


def _medians(measured: list[dict[str, Any]]) -> dict[str, Any]:
    names = [name for name in ("seconds", "cpu", "kpi_seconds", "kpi_cpu") if name in measured[0]]
    middle = {name: statistics.median(each[name] for each in measured) for name in names}
    return middle | {"mb": max(each["mb"] for each in measured)}


def _judged(way: str, row: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    row = row | {"ratio": row["cpu"] / base["cpu"], "ratio_wall": row["seconds"] / base["seconds"]}
    if way in BUDGETS:
        row |= {"budget": BUDGETS[way], "ok": row["ratio"] <= BUDGETS[way] and row["mb"] < MEMORY_MB}
    return {name: round(value, 2) if isinstance(value, float) else value for name, value in row.items()}


def show(table: dict[str, dict[str, Any]], *, equal: bool) -> None:
    """The table for a person."""
    print(f"{'way':10} {'wall s':>7} {'cpu s':>7} {'ratio':>6} {'budget':>7} {'peak MB':>8} {'KPIs cpu s':>11}")
    for way, row in table.items():
        cells = f"{row['seconds']:7} {row['cpu']:7} {row['ratio']:6} {row.get('budget', ''):>7} {row['mb']:8}"
        print(f"{way:10} {cells} {row.get('kpi_cpu', ''):>11}  {'' if row.get('ok', True) else 'OVER BUDGET'}")
    print(f"both modes give {'equal' if equal else 'DIFFERENT'} KPI values")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--orders", type=int, default=ORDERS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shape", choices=sorted(COLUMNS), default="plain")
    parser.add_argument("--measure", nargs=2, metavar=("WAY", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        way, path = options.measure
        told = source(Path(path), options.shape) if way == "source" else tool(Path(path), options.shape, way)
        print(json.dumps(told))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "orders.db"
        make(path, options.orders, options.shape)
        found = measure(path, options.shape, options.rounds)
    return report(options, found)


def report(options: argparse.Namespace, found: dict[str, list[dict[str, Any]]]) -> int:
    """Print and keep the results; 1 when a budget is passed or the modes differ."""
    told = [each["kpis"] for way in BUDGETS for each in found[way]]
    equal = all(each == told[0] for each in told)
    table = summary(found)
    show(table, equal=equal)
    whole = options.orders == ORDERS
    results = RESULTS if whole else RESULTS.with_suffix(".local.json")  # a trial is not kept
    kept = json.loads(results.read_text()) if results.exists() else {}
    kept[options.shape] = {
        "orders": options.orders,
        "rounds": options.rounds,
        "equal": equal,
        "load": os.getloadavg()[0],
        "ways": table,
    }
    results.parent.mkdir(exist_ok=True)
    results.write_text(json.dumps(kept, indent=2) + "\n")
    return 0 if equal and all(row.get("ok", True) for row in table.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
