"""The demo shop, and both modes on it against figures that no database was asked for."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.testing.shop import MAPPING, build_shop, expected_figures
from tests.unit.tools.sales_till import kpis

ZONE, UNTIL = "Europe/Berlin", date(2026, 11, 30)
REMARKABLE = {
    "spring": date(2026, 3, 29),
    "autumn": date(2026, 10, 25),
    "closed": date(2025, 12, 25),
    "outlier": date(2026, 9, 1),
    "day after closing": date(2025, 12, 26),
    "newest": UNTIL,
    "oldest": date(2025, 5, 1),
}


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("shop") / "shop.db"
    build_shop(path, until=UNTIL, timezone=ZONE, seed=7)
    return f"sqlite:///{path}"


def agrees(folder: Path, url: str, day: date) -> bool:
    """Whether both modes give the true figures of the day."""
    found = kpis(folder, url, MAPPING | {"currency": None}, top=99, date=day, timezone=ZONE)
    told = {
        each.currency: (
            each.orders,
            each.gross,
            each.refunds,
            {top.product: top.amount for top in each.top_products},
        )
        for each in found.currencies
    }
    true = expected_figures(day, timezone=ZONE, seed=7, newest=day == UNTIL)
    return told == {code: (each.orders, each.gross, each.refunds, each.products) for code, each in true.items()}


@pytest.mark.parametrize("name", REMARKABLE)
def test_both_modes_give_the_true_figures_of_a_remarkable_day(tmp_path: Path, url: str, name: str) -> None:
    assert agrees(tmp_path, url, REMARKABLE[name])


@settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.dates(date(2025, 5, 1), UNTIL))
def test_both_modes_give_the_true_figures_of_any_day(tmp_path: Path, url: str, day: date) -> None:
    assert agrees(tmp_path, url, day)


def content(path: Path) -> list[list[tuple[object, ...]]]:
    orders = "SELECT order_id, created_at, updated_at, status, currency, total FROM orders ORDER BY 1, 3, 4"
    lines = "SELECT * FROM order_lines ORDER BY 1, 2, 3, 4"
    with closing(sqlite3.connect(path)) as connection:
        return [connection.execute(sql).fetchall() for sql in (orders, lines)]


def test_the_same_arguments_give_the_same_shop_and_building_again_changes_nothing(tmp_path: Path) -> None:
    for name in ("one", "two"):
        build_shop(tmp_path / name, until=UNTIL, timezone=ZONE, seed=1)
    before = content(tmp_path / "one")
    build_shop(tmp_path / "one", until=UNTIL, timezone=ZONE, seed=1)

    assert content(tmp_path / "one") == before == content(tmp_path / "two")


@pytest.mark.parametrize("newest", [date(2026, 6, 10), date(2025, 12, 25), date(2026, 9, 1)])
def test_a_shop_that_grew_day_by_day_equals_one_made_at_once(tmp_path: Path, newest: date) -> None:
    for until in (newest, newest + timedelta(1), newest + timedelta(3)):
        build_shop(tmp_path / "grown", until=until, timezone=ZONE, seed=1)
    build_shop(tmp_path / "whole", until=newest + timedelta(3), timezone=ZONE, seed=1)

    assert content(tmp_path / "grown") == content(tmp_path / "whole")


@pytest.mark.parametrize("newest", [date(2025, 12, 25), date(2026, 9, 1), date(2026, 2, 3)])
def test_the_newest_day_is_never_empty(newest: date) -> None:
    assert expected_figures(newest, timezone=ZONE, newest=True)["EUR"].orders >= 5


def test_the_shop_has_the_oddities_that_it_promises(url: str) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        statuses = {row[0] for row in connection.execute("SELECT DISTINCT status FROM orders")}
        twice = connection.execute("SELECT count(*) - count(DISTINCT order_id) FROM orders").fetchone()[0]
        names = " ".join(row[0] for row in connection.execute("SELECT DISTINCT product FROM order_lines"))
        largest = connection.execute("SELECT max(total) FROM orders WHERE currency = 'EUR'").fetchone()[0]

    assert statuses == {"paid", "shipped", "refunded", "cancelled", "pending"}
    assert twice > 100
    assert all(mark in names for mark in ("墨", "🐙", "דפ" if "דפ" in names else "מחברת", "دفتر"))
    assert largest == 39_995


def test_a_file_of_another_seed_is_refused(tmp_path: Path) -> None:
    build_shop(tmp_path / "shop", until=date(2026, 1, 5), timezone=ZONE, seed=1)

    with pytest.raises(ValueError, match="seed 1"):
        build_shop(tmp_path / "shop", until=date(2026, 1, 6), timezone=ZONE, seed=2)


@pytest.mark.slow
def test_the_shop_does_not_import_pandas() -> None:
    code = "import sys, daemon.testing.shop; print(sorted({'pandas', 'numpy', 'sqlalchemy'} & set(sys.modules)))"

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "[]"
