"""Two real data sets, found through CLOCKWRIGHT_REAL_DATA; and small rows with the same oddities, always."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.sales_till import findings, kpis, only, run_sql, shop

FOLDER = os.environ.get("CLOCKWRIGHT_REAL_DATA")
needs_data = pytest.mark.skipif(not FOLDER, reason="CLOCKWRIGHT_REAL_DATA names no folder with the real data sets")

SONGS = {
    "table": "Invoice",
    "order_id": "InvoiceId",
    "timestamp": "InvoiceDate",
    "stored_as": "local",
    "amount": "Total",
    "currency": "USD",
    "lines": {
        "table": "InvoiceLine",
        "order_id": "InvoiceId",
        "product": {"sql": "SELECT Name FROM Track WHERE Track.TrackId = InvoiceLine.TrackId"},
        "quantity": "Quantity",
        "unit_price": "UnitPrice",
    },
}
SONGS_SELECT = {
    "sql": """SELECT InvoiceId AS order_id, InvoiceDate AS timestamp, Name AS product, Quantity AS quantity,
        InvoiceLine.UnitPrice AS unit_price FROM Invoice JOIN InvoiceLine USING (InvoiceId) JOIN Track USING (TrackId)
        WHERE InvoiceDate >= :start AND InvoiceDate < :end""",
    "stored_as": "local",
    "currency": "USD",
}
GIFTS: dict[str, Any] = {
    "order_id": "InvoiceNo",
    "timestamp": "InvoiceDate",
    "stored_as": "local",
    "amount": None,
    "quantity": "Quantity",
    "unit_price": "UnitPrice",
    "currency": "GBP",
    "product": "Description",
    "kind": {"by": "prefix", "refund": ["C"], "adjustment": ["A"]},
}
GIFT_COLUMNS = "InvoiceNo TEXT, Description TEXT, Quantity INTEGER, InvoiceDate TEXT, UnitPrice REAL"


def gifts(folder: Path, rows: list[tuple[Any, ...]]) -> str:
    return shop(folder, rows, GIFT_COLUMNS)


@needs_data
@pytest.mark.parametrize("how", ["mapping", "select"])
@pytest.mark.parametrize(
    ("day", "orders", "total", "average"),
    [("2022-03-11", 2, "7.96", "3.98"), ("2025-11-13", 1, "25.86", "25.86")],
)
def test_cb_074_chinook(tmp_path: Path, how: str, day: str, orders: int, total: str, average: str) -> None:
    url = f"sqlite:///{Path(str(FOLDER)) / 'chinook.sqlite'}"
    described = {"select": SONGS_SELECT} if how == "select" else {"mapping": SONGS}

    found = only(
        kpis(
            tmp_path,
            url,
            described.get("mapping"),
            date=day,
            timezone="America/New_York",
            **{name: value for name, value in described.items() if name == "select"},
        )
    )

    assert (found.orders, str(found.net), str(found.average_order_value)) == (orders, total, average)
    if day == "2022-03-11":
        assert found.top_products[0].product == "Experiment In Terra"


@needs_data
def test_cb_074_chinook_has_a_leap_day_without_sales(tmp_path: Path) -> None:
    url = f"sqlite:///{Path(str(FOLDER)) / 'chinook.sqlite'}"

    assert kpis(tmp_path, url, SONGS, date="2024-02-29", timezone="America/New_York").no_data


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> str:
    rows: list[tuple[Any, ...]] = []
    for path in sorted((Path(str(FOLDER)) / "online_retail").glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows += [tuple(row[name.split()[0]] for name in GIFT_COLUMNS.split(", ")) for row in csv.DictReader(file)]
    return gifts(tmp_path_factory.mktemp("retail"), rows)


@needs_data
@pytest.mark.parametrize(
    ("day", "orders", "gross", "refunds", "adjustments", "total", "average"),
    [
        ("2010-12-22", 17, "6199.97", "-65.40", "0.00", "6134.57", "360.86"),
        ("2011-08-12", 50, "21169.29", "-57.75", "-11062.06", "10049.48", "200.99"),
    ],
)
def test_cb_076_online_retail(
    tmp_path: Path,
    retail: str,
    day: str,
    orders: int,
    gross: str,
    refunds: str,
    adjustments: str,
    total: str,
    average: str,
) -> None:
    found = only(kpis(tmp_path, retail, GIFTS, average_of="net", date=day, timezone="Europe/London"))

    assert (found.orders, str(found.gross), str(found.refunds)) == (orders, gross, refunds)
    assert (str(found.adjustments), str(found.net), str(found.average_order_value)) == (
        adjustments,
        total,
        average,
    )


@needs_data
def test_cb_076_online_retail_has_a_closed_day(tmp_path: Path, retail: str) -> None:
    assert kpis(tmp_path, retail, GIFTS, date="2010-12-24", timezone="Europe/London").no_data


def test_small_gift_rows_with_the_same_oddities(tmp_path: Path) -> None:
    at = "2026-03-10 10:29:00"
    rows = [
        ("536365", "LUNCH BAG", 6, at, 2.55),
        ("536365", "LUNCH BAG", 6, at, 2.55),
        ("536365", "FREE GIFT", 1, at, 0.0),
        ("536366", "", -37, at, 0.0),
        ("536367", "", 3, at, 0.0),
        ("C536368", "LUNCH BAG", -1, at, 2.55),
        ("A536369", "Adjust bad debt", 1, at, 11062.06),
        ("A536370", "Adjust bad debt", 1, at, -11062.06),
        ("A536371", "Adjust bad debt", 1, at, -11062.06),
    ]

    found = kpis(tmp_path, gifts(tmp_path, rows), GIFTS, average_of="net", timezone="Europe/London")

    figures = only(found)
    assert (figures.orders, str(figures.gross), str(figures.refunds)) == (1, "30.60", "-2.55")
    assert (str(figures.adjustments), str(figures.net)) == ("-11062.06", "-11034.01")
    assert [each.product for each in figures.top_products] == ["LUNCH BAG", "FREE GIFT"]
    assert findings(found) == {"unnamed_product": 2}


def test_small_song_rows_with_the_same_oddities(tmp_path: Path) -> None:
    rows = [
        (1, "2026-03-10 00:00:00", 3.98),
        (2, "2026-03-10 00:00:00", 3.98),
        (3, "2026-03-09 00:00:00", 1.99),
    ]
    url = shop(tmp_path, rows, "InvoiceId INTEGER PRIMARY KEY, InvoiceDate DATETIME, Total NUMERIC(10,2)")
    songs = [(1, 1), (1, 2), (2, 3), (2, 4)]
    lines = ", ".join(f"({invoice}, {track}, 1, 1.99)" for invoice, track in songs)
    run_sql(
        url,
        f"""ALTER TABLE orders RENAME TO Invoice;
        CREATE TABLE Track (TrackId INTEGER PRIMARY KEY, Name TEXT);
        INSERT INTO Track VALUES (1, 'Pilot'), (2, 'Experiment'), (3, 'Through'), (4, 'Take');
        CREATE TABLE InvoiceLine (InvoiceId INTEGER, TrackId INTEGER, Quantity INTEGER, UnitPrice NUMERIC(10,2));
        INSERT INTO InvoiceLine VALUES {lines}""",
    )

    by_mapping = only(kpis(tmp_path, url, SONGS))
    by_select = only(kpis(tmp_path, url, select=SONGS_SELECT))

    assert (by_mapping.orders, str(by_mapping.net), str(by_mapping.average_order_value)) == (
        2,
        "7.96",
        "3.98",
    )
    assert [each.product for each in by_mapping.top_products] == ["Experiment", "Pilot", "Take", "Through"]
    assert by_select == by_mapping
