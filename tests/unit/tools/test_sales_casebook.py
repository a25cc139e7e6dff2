"""Faults that real people reported, each in both modes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from atomic_tools import DeniedError, MisconfiguredError, TransientError
from atomic_tools._sales import SalesKpis
from atomic_tools._sales_faults import translated
from tests.unit.tools.sales_till import MODES, compute, examples, fetch, findings, kpis, only, run_sql, shop


def cb_015_joining_items_does_not_multiply_order_totals(folder: Path) -> None:
    url = shop(folder, [(1, "2026-03-10", "101.50"), (2, "2026-03-10", "40.00"), (3, "2026-03-10", "8.25")])
    run_sql(
        url,
        """CREATE TABLE items (order_id, product, qty, price);
        INSERT INTO items VALUES (1, 'Lamp', 1, '50.00'), (1, 'Bulb', 3, '10.00'), (1, 'Cord', 1, '21.50'),
        (2, 'Lamp', 1, '40.00'), (3, 'Clip', 2, '2.00'), (3, 'Pin', 1, '4.25')""",
    )
    lines = {
        "table": "items",
        "order_id": "order_id",
        "product": "product",
        "quantity": "qty",
        "unit_price": "price",
    }
    found = only(kpis(folder, url, {"lines": lines}))
    assert (found.orders, str(found.net), str(found.average_order_value)) == (3, "149.75", "49.92")
    assert (found.top_products[0].product, str(found.top_products[0].amount)) == ("Lamp", "90.00")


def cb_017_no_date_is_read_in_another_order_than_configured(folder: Path) -> None:
    stamps = ["03/09/2026", "14/09/2026", "09/03/2026", "31/02/2026", "2026-09-03", ""]
    url = shop(folder, [(n, stamp, 10.0 * 2 ** (n - 1)) for n, stamp in enumerate(stamps, 1)])
    found = kpis(folder, url, {"timestamp_format": "%d/%m/%Y"}, date=date(2026, 9, 3))
    assert (only(found).orders, str(only(found).net)) == (1, "10.00")
    assert findings(found) == {"unreadable_timestamp": 3}
    for mode in MODES:
        output, _ = fetch(folder, url, {"timestamp_format": "%d/%m/%Y"}, date=date(2026, 9, 3), mode=mode)
        assert all(f"order {rejected}" in examples(output, "unreadable_timestamp") for rejected in (4, 5, 6))


SETS: list[tuple[list[str], str, set[str]]] = [
    (["0.10", "0.20"], "0.30", {"0.15"}),
    (["0.10"] * 1000, "100.00", {"0.10"}),
    (["10.01", "20"], "30.01", {"15.00", "15.01"}),
    (["10.00", "0.00", "0.00"], "10.00", {"3.33"}),
    (["1.005", "1.005"], "2.01", {"1.00", "1.01"}),
    (["99999999999.99", "0.01"], "100000000000.00", {"50000000000.00"}),
    (["-0.001", "0.00"], "0.00", {"0.00"}),
]


def cb_019_money_is_summed_exactly_and_shown_with_two_places(folder: Path) -> None:
    for amounts, total, averages in SETS:
        url = shop(folder, [(n, "2026-03-10", amount) for n, amount in enumerate(amounts)])
        found = only(kpis(folder, url))
        assert str(found.net) == total
        assert str(found.average_order_value) in averages


def cb_021_the_day_ends_at_midnight_of_the_shop(folder: Path) -> None:
    rows = [
        (1, "2026-03-09T14:59:59Z", "1.00"),
        (2, "2026-03-09T15:00:00Z", "2.00"),
        (3, "2026-03-10T00:30:00Z", "4.00"),
        (4, "2026-03-10T14:59:59.999Z", "8.00"),
        (5, "2026-03-10T15:00:00Z", "16.00"),
    ]
    found = only(kpis(folder, shop(folder, rows), timezone="Asia/Tokyo"))
    assert (found.orders, str(found.net)) == (3, "14.00")


MIXED = [
    "2026-03-10 00:00:00",
    "2026-03-10T00:00:00Z",
    "2026-03-10T23:59:59",
    "2026-03-10 23:59:59",
    "2026-03-11 00:00:00",
    "2026-03-11T00:00:00Z",
    "2026-03-11T08:30:00+09:00",
    "2026-03-10",
    "2026-03-09T23:30:00-01:00",
]


def cb_023_stamps_of_several_forms_are_compared_by_instant(folder: Path) -> None:
    url = shop(folder, [(n, stamp, 2.0 ** (n - 1)) for n, stamp in enumerate(MIXED, 1)])
    found = only(kpis(folder, url, {"stored_as": "offset", "naive_means": "utc"}))
    assert found.orders == 7
    assert found.net == sum(Decimal(2) ** (n - 1) for n in (1, 2, 3, 4, 7, 8, 9))


def cb_025_a_day_without_orders_is_a_result(folder: Path) -> None:
    url = shop(folder, [])
    for mode in MODES:
        output, where = fetch(folder, url, mode=mode, timezone="Asia/Tokyo")
        result = compute(output, where)
        assert output.no_data
        assert result.kpis.no_data
        assert result.kpis.currencies == ()
        told = result.model_dump_json() + result.summary() + output.summary()
        assert not any(word in told for word in ("NaN", "nan", "None", "inf", "Zero"))


def cb_027_figures_that_are_no_numbers_are_not_valid(folder: Path) -> None:
    url = shop(folder, [(1, "2026-03-10", "1.50")])
    told: dict[str, Any] = kpis(folder, url).model_dump()
    for wrong in ("NaN", "Infinity", "-Infinity"):
        told["currencies"][0]["net"] = Decimal(wrong)
        with pytest.raises(ValidationError):
            SalesKpis.model_validate(told)


def cb_029_a_refund_lowers_net_and_is_no_order(folder: Path) -> None:
    rows = [*((n, "2026-03-10 12:00:00", "20.00") for n in range(1, 6)), (5, "2026-03-10 13:00:00", "-20.00")]
    url = shop(folder, [*rows, (99, "2026-03-10 14:00:00", "-7.50")])
    found = only(kpis(folder, url))
    assert (found.orders, str(found.gross), str(found.refunds), str(found.net)) == (
        5,
        "100.00",
        "-27.50",
        "72.50",
    )
    assert str(found.average_order_value) == "20.00"


def cb_031_the_last_version_of_an_order_wins(folder: Path) -> None:
    rows = [
        (1, "2026-03-10", "10.00", "paid", "09:00"),
        (1, "2026-03-10", "10.00", "paid", "09:00"),
        (2, "2026-03-10", "20.00", "pending", "09:00"),
        (2, "2026-03-10", "25.00", "paid", "09:30"),
        (3, "2026-03-10", "30.00", "paid", "10:00"),
    ]
    url = shop(folder, rows, "id INTEGER, at TEXT, amount, status TEXT, updated_at TEXT")
    kind = {"by": "status", "column": "status", "sale": ["paid"]}
    found = kpis(folder, url, {"version": "updated_at", "kind": kind})
    assert (only(found).orders, str(only(found).net)) == (3, "65.00")
    assert findings(found) == {"duplicate": 2}


def cb_033_two_spellings_that_look_the_same_are_one_product(folder: Path) -> None:
    names = [
        "Imation 8GB Mini",
        "Imation\u00a08GB Mini",
        "\ufeffImation 8GB  Mini ",
        "Café “No. 5” – €9",
        "Cafe\u0301 “No. 5” –\u00a0€9",
    ]
    url = shop(
        folder,
        [(n, "2026-03-10", 1.0, name) for n, name in enumerate(names)],
        "id INTEGER, at TEXT, amount, name TEXT",
    )
    found = only(kpis(folder, url, {"product": "name"}))
    assert [(each.product, str(each.amount)) for each in found.top_products] == [
        ("Imation 8GB Mini", "3.00"),
        ("Café “No. 5” – €9", "2.00"),
    ]


def cb_035_many_rows_pass_by_reference_or_are_refused_by_name(folder: Path) -> None:
    sizes = []
    for count in (1_000, 60_000):
        url = shop(folder, [(n, "2026-03-10 12:00:00", (n % 1000) / 100) for n in range(1, count + 1)])
        output, _ = fetch(folder, url, mode="rows")
        assert output.rows == count
        sizes.append(len(output.model_dump_json()))
    assert max(sizes) < 8192
    assert abs(sizes[1] - sizes[0]) < 100
    found = only(kpis(folder, url))
    assert (found.orders, str(found.net)) == (60_000, "299700.00")
    with pytest.raises(MisconfiguredError, match=r"more than 59,999 rows .*row_cap"):
        fetch(folder, url, mode="rows", row_cap=59_999)


def cb_037_a_lock_is_worth_a_retry_and_a_missing_table_is_not(folder: Path) -> None:
    url = shop(folder, [(1, "2026-03-10", 1.0)])
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TransientError, match="locked"):
            fetch(folder, url, statement_timeout=0.05)
    with pytest.raises(MisconfiguredError, match="no table ordres") as no_table:
        fetch(folder, url, {"table": "ordres"})
    with pytest.raises(MisconfiguredError, match="no column amout") as no_column:
        fetch(folder, url, {"amount": "amout"})
    assert (no_table.value.hint, no_column.value.hint) == ("did you mean orders?", "did you mean amount?")
    _bad_password()


def _bad_password() -> None:
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import OperationalError

    told = Exception('connection failed: FATAL: password authentication failed for user "u" (s3cret)')
    with pytest.raises(DeniedError) as denied, translated(make_url("postgresql://u:s3cret@host/shop"), 1):
        raise OperationalError("connect", None, told)
    assert "s3cret" not in f"{denied.value.message} {denied.value.hint}"


CASES: dict[str, Callable[[Path], None]] = {
    f"CB-{name[3:6]}": case for name, case in list(globals().items()) if name.startswith("cb_")
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_fault_does_not_happen_here(case: str, tmp_path: Path) -> None:
    CASES[case](tmp_path)
