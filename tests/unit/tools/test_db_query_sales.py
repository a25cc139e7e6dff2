"""What db_query_sales promises beside the casebook: descriptions, faults, forms of time, output."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from atomic_tools import (
    BadDataError,
    DeniedError,
    InvalidInputError,
    MisconfiguredError,
    ToolContext,
    TransientError,
)
from atomic_tools.db_query_sales import Input, db_query_sales
from tests.unit.tools.sales_till import (
    DAY,
    MODES,
    SIMPLE,
    context,
    examples,
    fetch,
    findings,
    kpis,
    only,
    run_sql,
    shop,
)

SECRET = "pa55word"
WIDE = "id TEXT, at TEXT, amount, currency TEXT, status TEXT, product TEXT, quantity, price"


def test_a_select_gives_the_figures_of_a_mapping(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10 09:00:00", 3.5), (2, "2026-03-10 10:00:00", -1), (3, "2026-03-11", 9)])
    sql = "SELECT id AS order_id, at AS timestamp, amount FROM orders WHERE at >= :start AND at < :end;"

    found = only(kpis(tmp_path, url, select={"sql": sql, "currency": "EUR"}))

    assert (found.orders, str(found.net)) == (1, "2.50")
    assert found == only(kpis(tmp_path, url))


def test_a_select_uses_the_documented_optional_columns(tmp_path: Path) -> None:
    told = [("1", 5, "EUR", "sale", "Pen", 2), ("2", 3, "USD", "refund", "Ink", 1)]
    url = shop(tmp_path, [(no, "2026-03-10 12:00:00", *row, None) for no, *row in told], WIDE)
    sql = (
        "SELECT id AS order_id, at AS timestamp, amount, currency, status AS kind, product, quantity FROM orders"
        " WHERE at >= :start AND at < :end"
    )

    found = {each.currency: each for each in kpis(tmp_path, url, select={"sql": sql}).currencies}

    assert (found["EUR"].top_products[0].quantity, str(found["USD"].refunds)) == (Decimal(2), "-3.00")


def test_the_bounds_of_a_select_have_the_form_of_the_column(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 1), (2, "2026-03-11", 2)])
    sql = "SELECT id AS order_id, at AS timestamp, amount FROM orders WHERE at >= :start AND at < :end"

    found = kpis(tmp_path, url, select={"sql": sql, "currency": "EUR", "timestamp_format": "%Y-%m-%d"})

    assert str(only(found).net) == "1.00"


def test_rows_that_a_select_yields_outside_of_its_day_are_named(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 1), (2, "2026-01-01", 2)])
    sql = "SELECT id AS order_id, at AS timestamp, amount FROM orders WHERE :start < :end"

    found = kpis(tmp_path, url, select={"sql": sql, "currency": "EUR"})

    assert str(only(found).net) == "1.00"
    assert findings(found)["outside_window"] > 0


def test_local_stamps_are_read_on_the_shops_clock(tmp_path: Path) -> None:
    url = shop(
        tmp_path,
        [(1, "2026-03-10 00:00:00", 1), (2, "2026-03-10 23:59:59", 2), (3, "2026-03-11 00:00:00", 4)],
    )

    found = only(kpis(tmp_path, url, {"stored_as": "local"}, timezone="Asia/Kolkata"))

    assert str(found.net) == "3.00"
    assert [each.label for each in found.by_hour if each.amount] == ["00:00", "23:00"]


def test_utc_stamps_fall_into_the_hours_of_a_zone_with_a_half_hour(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10 04:29:59", 1), (2, "2026-03-10 04:30:00", 2)])

    found = only(kpis(tmp_path, url, timezone="Asia/Kolkata"))

    assert {each.label: str(each.amount) for each in found.by_hour if each.amount} == {
        "09:00": "1.00",
        "10:00": "2.00",
    }


@pytest.mark.parametrize(("stored_as", "unit"), [("epoch_seconds", 1), ("epoch_millis", 1000)])
def test_epoch_numbers_are_stamps_where_the_mapping_says_so(tmp_path: Path, stored_as: str, unit: int) -> None:
    noon = int(datetime(2026, 3, 10, 12, tzinfo=UTC).timestamp())
    rows = [(1, noon * unit, 1), (2, (noon + 43_200) * unit, 2), (3, (noon - 43_200) * unit, 4), (4, None, 8)]
    url = shop(tmp_path, rows, "id INTEGER, at INTEGER, amount")

    found = kpis(tmp_path, url, {"stored_as": stored_as})

    assert str(only(found).net) == "5.00"
    assert findings(found) == {"unreadable_timestamp": 1}


def test_numbers_are_no_stamps_unless_the_mapping_says_so(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, 1_773_100_000, 1)], "id INTEGER, at INTEGER, amount")

    with pytest.raises(MisconfiguredError, match="holds numbers") as refused:
        fetch(tmp_path, url)
    assert "epoch_seconds" in str(refused.value.hint)


@pytest.mark.parametrize(
    "stamp",
    [
        "",
        None,
        "n/a",
        "10/03/2026",
        "2026/03/10",
        "3/10/26",
        "2026-03-10 99:00:00",
        "2026-03-10T10:00:00+09:00",
    ],
)
def test_a_stamp_of_another_form_is_named_and_never_guessed(tmp_path: Path, stamp: str | None) -> None:
    url = shop(tmp_path, [(1, "2026-03-10 12:00:00", 1), (77, stamp, 2)])

    found = kpis(tmp_path, url)

    assert str(only(found).net) == "1.00"
    assert findings(found) == {"unreadable_timestamp": 1}


def test_declared_datetime_columns_do_not_turn_bounds_into_numbers(tmp_path: Path) -> None:
    rows = [(1, "2026-03-10 12:00:00", 1), (2, "2025-03-10 12:00:00", 2)]
    found = kpis(tmp_path, shop(tmp_path, rows, "id INTEGER, at DATETIME, amount NUMERIC"))

    assert str(only(found).net) == "1.00"
    assert findings(found) == {}


@pytest.mark.parametrize("amount", [None, "", "abc", "1,50", "NaN", float("inf")])
def test_an_amount_that_is_no_number_is_named_and_not_zeroed(tmp_path: Path, amount: Any) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 2.5), (7, "2026-03-10", amount)])

    found = kpis(tmp_path, url)

    assert (only(found).orders, str(only(found).net)) == (1, "2.50")
    assert findings(found) == {"unreadable_amount": 1}
    assert "order 7" in examples(found, "unreadable_amount")


def test_a_bad_amount_of_a_number_column_is_pointed_out_in_both_modes(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 2.5), (7, "2026-03-10", None)], "id INTEGER, at TEXT, amount REAL")

    for mode in MODES:
        output, _ = fetch(tmp_path, url, mode=mode)
        assert "order 7" in examples(output, "unreadable_amount")


@pytest.mark.parametrize(
    ("currency", "amounts", "net"),
    [
        ("EUR", [0.1, 0.2], "0.30"),
        ("JPY", [0.4, 100.0], "100"),
        ("KWD", [1.0005, 2.0], "3.001"),
        ("EUR", [1.005], "1.01"),
    ],
)
def test_binary_floats_are_rounded_row_by_row_to_the_minor_unit(
    tmp_path: Path, currency: str, amounts: list[float], net: str
) -> None:
    rows = [(n, "2026-03-10", amount) for n, amount in enumerate(amounts)]

    found = only(kpis(tmp_path, shop(tmp_path, rows, "id INTEGER, at TEXT, amount REAL"), {"currency": currency}))

    assert str(found.net) == net


def test_cents_are_read_as_cents(tmp_path: Path) -> None:
    found = only(kpis(tmp_path, shop(tmp_path, [(1, "2026-03-10", 1999)]), {"amount_in": "minor"}))

    assert str(found.net) == "19.99"


def test_two_currencies_are_kept_apart_and_others_are_named(tmp_path: Path) -> None:
    codes = ["EUR", "jpy", "EUR", "", "€"]
    url = shop(tmp_path, [(str(n), "2026-03-10", 10.4, code, "", "", 1, 1) for n, code in enumerate(codes)], WIDE)
    mapping = {"currency": None, "currency_column": "currency"}

    found = kpis(tmp_path, url, mapping)

    assert {each.currency: str(each.net) for each in found.currencies} == {"EUR": "20.80", "JPY": "10"}
    assert findings(found) == {"unreadable_currency": 2}


def test_an_empty_currency_may_have_a_default(tmp_path: Path) -> None:
    url = shop(
        tmp_path,
        [("1", "2026-03-10", 10.4, "", "", "", 1, 1), ("2", "2026-03-10", 1, "EUR", "", "", 1, 1)],
        WIDE,
    )

    found = kpis(tmp_path, url, {"currency": "JPY", "currency_column": "currency"})

    assert {each.currency: str(each.net) for each in found.currencies} == {"EUR": "1.00", "JPY": "10"}


KINDS = {
    "status": {
        "by": "status",
        "column": "status",
        "sale": ["paid"],
        "refund": ["back"],
        "adjustment": ["fix"],
        "ignored": ["void"],
    },
    "prefix": {"by": "prefix", "refund": ["C"], "adjustment": ["A"], "ignored": ["V"]},
    "expression": {
        "by": "expression",
        "refund": "status = 'back'",
        "adjustment": "status = 'fix'",
        "ignored": "status = 'void'",
    },
}


@pytest.mark.parametrize("by", KINDS)
def test_rows_are_told_apart_by_status_prefix_or_expression(tmp_path: Path, by: str) -> None:
    told = [("1", 100, "paid"), ("C2", 30, "back"), ("A3", -5, "fix"), ("V4", 999, "void")]
    url = shop(
        tmp_path,
        [(no, "2026-03-10", amount, "EUR", status, "Pen", 2, 1) for no, amount, status in told],
        WIDE,
    )

    found = kpis(tmp_path, url, {"kind": KINDS[by], "product": "product", "quantity": "quantity"})

    figures = only(found)
    assert (figures.orders, str(figures.gross), str(figures.refunds), str(figures.adjustments)) == (
        1,
        "100.00",
        "-30.00",
        "-5.00",
    )
    assert (figures.top_products[0].quantity, str(figures.top_products[0].amount)) == (Decimal(0), "70.00")
    assert findings(found) == {"ignored_status": 1}


def test_a_status_that_is_listed_nowhere_is_named(tmp_path: Path) -> None:
    url = shop(
        tmp_path,
        [(n, "2026-03-10", 1, "EUR", status, "", 1, 1) for n, status in enumerate(["paid", "lost", None])],
        WIDE,
    )

    found = kpis(tmp_path, url, {"kind": KINDS["status"]})

    assert findings(found) == {"unknown_status": 2}
    assert "lost" in examples(found, "unknown_status")


def test_order_lines_make_an_order_only_with_quantity_and_price(tmp_path: Path) -> None:
    told = [("1", 2, "1.10"), ("1", 1, 0), ("2", 5, 0), ("3", -1, 9), ("4", 1.5, 3), ("5", "2", "abc")]
    url = shop(
        tmp_path,
        [(no, "2026-03-10", None, "", "", "Pen", quantity, price) for no, quantity, price in told],
        WIDE,
    )
    mapping = {"amount": None, "quantity": "quantity", "unit_price": "price", "kind": {"by": "prefix"}}

    found = kpis(tmp_path, url, mapping)

    assert (only(found).orders, str(only(found).net)) == (2, "-2.30")
    assert findings(found) == {"unreadable_amount": 1}


def test_a_later_version_takes_an_order_out_of_its_old_day(tmp_path: Path) -> None:
    rows = [
        (1, "2026-03-10 10:00:00", 5, 1),
        (1, "2026-03-12 10:00:00", 5, 2),
        (2, "2026-03-10 11:00:00", 7, 1),
    ]
    url = shop(tmp_path, rows, "id INTEGER, at TEXT, amount, version INTEGER")

    found = kpis(tmp_path, url, {"version": "version"})

    assert str(only(found).net) == "7.00"
    assert findings(found) == {"duplicate": 1}


def test_rows_can_be_named_by_several_columns(tmp_path: Path) -> None:
    rows = [(1, "2026-03-10", 5, "a"), (1, "2026-03-10", 5, "a"), (1, "2026-03-10", 5, "b")]
    url = shop(tmp_path, rows, "id INTEGER, at TEXT, amount, line TEXT")

    found = kpis(tmp_path, url, {"unique_by": ["id", "line"]})

    assert (only(found).orders, str(only(found).net)) == (1, "10.00")


def test_a_condition_picks_one_shop_of_a_shared_table(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 5), (2, "2026-03-10", 7)])

    assert str(only(kpis(tmp_path, url, {"where": "id % 2 = 0"})).net) == "7.00"


def test_an_expression_can_stand_for_a_column(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 5)])

    assert str(only(kpis(tmp_path, url, {"amount": {"sql": "amount * 2"}})).net) == "10.00"


def test_the_repeated_hour_of_local_stamps_is_named(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-10-25 02:30:00", 5), (2, "2026-10-25 12:00:00", 7)])

    found = kpis(tmp_path, url, {"stored_as": "local"}, timezone="Europe/Berlin", date="2026-10-25")

    assert findings(found) == {"clock_change": 1}
    assert [each.label for each in only(found).by_hour if each.amount] == ["02:00+0200", "12:00"]


def test_an_order_whose_lines_straddle_hours_counts_once_in_its_first(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10 09:59:00", 5), (1, "2026-03-10 10:01:00", 7)])

    found = only(kpis(tmp_path, url))

    assert [(each.label, each.orders) for each in found.by_hour if each.orders] == [("09:00", 1)]


def test_the_artifact_is_columnar_and_the_output_small(tmp_path: Path) -> None:
    url = shop(tmp_path, [(n, "2026-03-10 12:00:00", n) for n in range(1, 2_001)])

    output, where = fetch(tmp_path, url, mode="rows")

    assert pq.read_table(where.workdir / "out" / output.data.name).num_rows == output.facts == 2_000
    assert (output.rows, len(output.preview), output.currencies) == (2_000, 5, ("EUR",))
    assert output.first_at == output.last_at == datetime(2026, 3, 10, 12, tzinfo=UTC)
    assert len(output.summary()) <= 200
    json.loads(output.model_dump_json(), parse_constant=lambda word: pytest.fail(word))


def test_what_an_empty_day_means_is_passed_on_or_fails(tmp_path: Path) -> None:
    url = shop(tmp_path, [])

    for policy in ("report", "skip", "ask"):
        output, _ = fetch(tmp_path, url, on_no_data=policy)
        assert (output.no_data, output.on_no_data) == (True, policy)
    with pytest.raises(BadDataError, match="no sales on 2026-03-10"):
        fetch(tmp_path, url, on_no_data="fail")


def test_a_missing_file_is_not_an_empty_day_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.db"

    with pytest.raises(MisconfiguredError, match="no database file"):
        fetch(tmp_path, f"sqlite:///{path}")
    assert not path.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_denied(tmp_path: Path) -> None:
    url = shop(tmp_path, [])
    Path(url.removeprefix("sqlite:///")).chmod(0)

    with pytest.raises(DeniedError, match="no permission"):
        fetch(tmp_path, url)


def test_a_file_that_is_no_database_is_bad_data(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_bytes(b"dear diary " * 500)

    with pytest.raises(BadDataError, match="not a database"):
        fetch(tmp_path, f"sqlite:///{tmp_path / 'notes.db'}")


def test_text_that_is_not_utf_8_is_bad_data_and_named(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 1, "x")], "id INTEGER, at TEXT, amount, product TEXT")
    run_sql(url, "UPDATE orders SET product = CAST(x'436166e9' AS TEXT)")

    for mode in MODES:
        with pytest.raises(BadDataError, match=r"(?i)utf-8"):
            fetch(tmp_path, url, {"product": "product"}, mode=mode)


def test_the_source_is_only_read(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 1)])
    sql = "WITH gone AS (SELECT 1) DELETE FROM orders WHERE :start < :end RETURNING id AS order_id, at AS timestamp, amount"

    with pytest.raises(MisconfiguredError):
        fetch(tmp_path, url, select={"sql": sql, "currency": "EUR"})
    assert fetch(tmp_path, url)[0].rows == 1


def test_a_statement_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 1)])
    endless = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)"

    with pytest.raises(TransientError, match="did not finish"):
        fetch(tmp_path, url, {"amount": {"sql": endless}}, statement_timeout=0.05)


def test_a_passed_deadline_starts_no_query(tmp_path: Path) -> None:
    late = context(tmp_path, seconds=-1)

    with pytest.raises(InvalidInputError, match="deadline"):
        db_query_sales(
            Input.model_validate({"date": DAY, "timezone": "UTC", "url": "sqlite:///x", "mapping": SIMPLE}),
            late,
        )


def test_the_url_may_come_as_a_secret(tmp_path: Path) -> None:
    where = context(tmp_path, database_url=shop(tmp_path, [(1, "2026-03-10", 1)]))

    output = db_query_sales(Input.model_validate({"date": DAY, "timezone": "UTC", "mapping": SIMPLE}), where)

    assert output.summary() == "2026-03-10 UTC: 1 rows (EUR), mode aggregate"
    with pytest.raises(MisconfiguredError, match="no source is named"):
        db_query_sales(Input.model_validate({"date": DAY, "timezone": "UTC", "mapping": SIMPLE}), context(tmp_path))


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{SECRET}@127.0.0.1:1/shop",
        f"postgresql+psycopg://u:{SECRET}@127.0.0.1:1/shop",
        f"nosuch://u:{SECRET}@host/shop",
        f"sqlite:///{SECRET}@@\x00",
    ],
)
def test_a_password_is_in_no_error(tmp_path: Path, url: str) -> None:
    with pytest.raises(Exception) as failed:  # noqa: PT011 - whichever kind it is
        fetch(tmp_path, url, statement_timeout=1)
    if "sqlite" not in url:
        assert SECRET not in repr(failed.value) + str(getattr(failed.value, "hint", ""))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"mapping": None}, "exactly one of"),
        ({"select": {"sql": "SELECT 1"}}, "bounded by :start"),
        ({"mapping": {**SIMPLE, "amount": None}}, "name the `amount` column"),
        ({"mapping": {**SIMPLE, "currency": None}}, "name the `currency`"),
        ({"mapping": {**SIMPLE, "naive_means": "utc"}}, "belongs to stored_as"),
        ({"mapping": {**SIMPLE, "colour": "red"}}, "colour"),
    ],
)
def test_a_wrong_description_is_refused_before_anything_runs(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Input.model_validate({"date": DAY, "timezone": "UTC", "mapping": SIMPLE, **wrong})


def test_a_select_without_an_amount_is_refused_with_a_hint(tmp_path: Path) -> None:
    sql = "SELECT id AS order_id, at AS timestamp FROM orders WHERE at >= :start AND at < :end"

    with pytest.raises(MisconfiguredError, match="neither amount") as refused:
        fetch(tmp_path, shop(tmp_path, []), select={"sql": sql, "currency": "EUR"})
    assert "AS amount" in str(refused.value.hint)


def test_a_column_that_a_select_does_not_yield_is_named(tmp_path: Path) -> None:
    sql = "SELECT id, at AS timestamp, amount FROM orders WHERE at >= :start AND at < :end"

    with pytest.raises(MisconfiguredError, match="the SELECT has no column order_id"):
        fetch(tmp_path, shop(tmp_path, []), select={"sql": sql, "currency": "EUR"})


def test_an_open_transaction_of_another_writer_does_not_disturb_the_snapshot(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 1)])
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("INSERT INTO orders VALUES (2, '2026-03-10', 2)")

        assert fetch(tmp_path, url)[0].rows == 1


def test_the_tool_is_declared_as_harmless() -> None:
    assert db_query_sales.effect == "none"
    assert db_query_sales.secrets == ("database_url",)
    assert ToolContext is not None
