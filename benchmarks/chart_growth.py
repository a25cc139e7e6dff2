"""Five hundred charts in one process: how much memory is kept, and what a chart costs beside a plain Figure.

Run `python -m benchmarks.chart_growth [COUNT]`. One line of JSON: resident MiB grown after a warm-up
of fifty, seconds for a chart, seconds for a fresh Figure of the same size with one bar plot, and their ratio.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import median

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from atomic_tools import ToolContext
from atomic_tools import generate_chart as tool_module
from atomic_tools._sales import Comparison, CurrencyKpis, HourSales, LocalDay, ProductSales, SalesKpis

_NAMES = ("Espresso 1 kg", "抹茶ケーキ", "קומקום", "Kettle 🫖", "$5 _mug_", "김치 세트")
_WARM_UP = 50
_START = datetime(2026, 3, 10, tzinfo=UTC)


def _day(seed: int) -> SalesKpis:
    amounts = [Decimal((hour * 37 + seed * 11) % 500) for hour in range(24)]
    net = sum(amounts, Decimal(0))
    base = Comparison(
        against="same_weekday_last_week",
        base=Decimal(5000),
        difference=net - 5000,
        percent=(net - 5000) / 50,
        by_hour=tuple(reversed(amounts)),
    )
    figures = CurrencyKpis(
        currency="EUR",
        orders=100,
        gross=net,
        refunds=Decimal(0),
        adjustments=Decimal(0),
        net=net,
        average_order_value=net / 100,
        top_products=tuple(
            ProductSales(product=f"{name} {seed}", amount=Decimal(600 - 90 * row), quantity=Decimal(9))
            for row, name in enumerate(_NAMES)
        ),
        by_hour=tuple(
            HourSales(label=f"{hour:02}:00", start=_START + timedelta(hours=hour), amount=amount, orders=4)
            for hour, amount in enumerate(amounts)
        ),
        comparisons=(base,),
    )
    day = LocalDay(date=date(2026, 3, 10), timezone="UTC", start=_START, end=_START + timedelta(days=1))
    return SalesKpis(day=day, no_data=False, currencies=(figures,), as_of=_START + timedelta(days=1))


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _chart(folder: Path, seed: int) -> None:
    context = ToolContext(workdir=folder, deadline=datetime.now(UTC) + timedelta(minutes=1))
    tool_module.generate_chart(tool_module.Input(kpis=_day(seed)), context)


def _plain_figure() -> None:
    figure = Figure(figsize=(8, 4), dpi=150)
    FigureCanvasAgg(figure)
    figure.subplots().bar(range(24), range(24))
    figure.savefig(io.BytesIO(), format="png")


def main(count: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(_WARM_UP):
            _chart(folder, seed)
        before = _resident_mib()
        charts = [_seconds(lambda seed=seed: _chart(folder, seed)) for seed in range(count)]  # type: ignore[misc]
        grown = _resident_mib() - before
    plain = median(_seconds(_plain_figure) for _ in range(20))
    chart = median(charts)
    figures = {
        "charts": count,
        "grown_mib": grown,
        "chart_s": chart,
        "plain_s": plain,
        "ratio": chart / plain,
    }
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
