"""db_query_sales against a real PostgreSQL: what its own types, rights and limits do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from atomic_tools import DeniedError, MisconfiguredError, TransientError
from atomic_tools._sales_connect import reading
from tests.unit.tools.sales_till import MODES, fetch, findings, kpis, only

pytestmark = pytest.mark.slow

TABLE = """
CREATE TABLE orders (id bigint PRIMARY KEY, at timestamptz, wall timestamp, told text, amount numeric(16, 4),
    ratio double precision, currency text, status text, product text, quantity integer, revised integer);
INSERT INTO orders VALUES
    (1, '2026-10-24 22:00Z', '2026-10-25 00:00', '2026-10-25 00:00:00+02:00',
        10.005, 0.1, 'EUR', 'paid', 'Pen', 1, 1),
    (2, '2026-10-25 00:30Z', '2026-10-25 02:30', '2026-10-25T02:30:00+02:00',
        10.005, 0.2, 'EUR', 'paid', '墨汁', 2, 1),
    (3, '2026-10-25 01:30Z', '2026-10-25 02:30', '2026-10-25T01:30:00Z',
        7, 1.005, 'jpy', 'paid', 'Pen', 1, 1),
    (4, '2026-10-25 22:59:59.999999Z', '2026-10-25 23:59:59.999999', '2026-10-25 23:59:59+01:00',
        4, 4, 'EUR', 'back', 'Pen', 1, 1),
    (5, '2026-10-25 23:00Z', '2026-10-26 00:00', '2026-10-26 00:00:00+01:00',
        99, 99, 'EUR', 'paid', 'Pen', 1, 1),
    (6, '2026-10-25 10:00Z', '2026-10-25 11:00', 'tomorrow', 'NaN', 'NaN', 'EUR', 'paid', 'Pen', 1, 1),
    (7, NULL, NULL, NULL, 5, 5, 'EUR', 'paid', 'Pen', 1, 1);
"""
KIND = {"by": "status", "column": "status", "sale": ["paid"], "refund": ["back"], "ignored": ["void"]}
MAPPING: dict[str, Any] = {
    "currency": None,
    "currency_column": "currency",
    "kind": KIND,
    "product": "product",
    "quantity": "quantity",
}
CHANGE_DAY: dict[str, Any] = {"date": "2026-10-25", "timezone": "Europe/Berlin"}


@pytest.fixture(scope="module")
def url(new_database: Callable[[], str]) -> str:
    address = new_database()
    execute(address, TABLE)
    return address


def execute(address: str, sql: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(sql.encode())


def test_instants_fall_into_the_25_hours_of_the_local_day(tmp_path: Path, url: str) -> None:
    found = kpis(tmp_path, url, MAPPING, **CHANGE_DAY)

    euro, yen = found.currencies
    assert (euro.orders, str(euro.gross), str(euro.refunds), str(yen.net)) == (2, "20.01", "-4.00", "7")
    assert len(euro.by_hour) == 25
    assert [each.label for each in euro.by_hour if each.orders] == ["00:00", "02:00+0200"]
    assert [each.label for each in yen.by_hour if each.orders] == ["02:00+0100"]
    assert findings(found) == {"unreadable_timestamp": 1, "unreadable_amount": 1}


def test_wall_times_are_read_on_the_shops_clock(tmp_path: Path, url: str) -> None:
    found = kpis(tmp_path, url, MAPPING | {"timestamp": "wall", "stored_as": "local"}, **CHANGE_DAY)

    assert [each.label for each in found.currencies[1].by_hour if each.orders] == ["02:00+0200"]
    assert findings(found)["clock_change"] == 2


def test_texts_with_offsets_are_compared_by_instant(tmp_path: Path, url: str) -> None:
    found = kpis(tmp_path, url, MAPPING | {"timestamp": "told", "stored_as": "offset"}, **CHANGE_DAY)

    assert str(found.currencies[0].net) == "16.01"
    assert findings(found) == {"unreadable_timestamp": 2}


def test_binary_floats_are_rounded_row_by_row(tmp_path: Path, url: str) -> None:
    found = kpis(tmp_path, url, MAPPING | {"amount": "ratio"}, **CHANGE_DAY)

    assert [str(each.gross) for each in found.currencies] == ["0.30", "1"]


def test_a_select_gives_the_same_figures(tmp_path: Path, url: str) -> None:
    sql = """SELECT id AS order_id, at AS timestamp, amount, currency, product, quantity,
        CASE status WHEN 'back' THEN 'refund' ELSE 'sale' END AS kind
        FROM orders WHERE at >= :start AND at < :end AND status::text <> 'a:b'"""

    by_select = kpis(tmp_path, url, select={"sql": sql, "stored_as": "offset"}, **CHANGE_DAY)

    assert by_select.currencies == kpis(tmp_path, url, MAPPING, **CHANGE_DAY).currencies


def test_the_last_version_wins(tmp_path: Path, url: str) -> None:
    execute(url, "CREATE TABLE feed AS SELECT * FROM orders; INSERT INTO feed SELECT * FROM orders WHERE id = 2")

    found = kpis(tmp_path, url, MAPPING | {"table": "feed", "version": "revised"}, **CHANGE_DAY)

    assert str(found.currencies[0].gross) == "20.01"
    assert findings(found)["duplicate"] == 1


def test_the_connection_only_reads(url: str) -> None:
    with pytest.raises(MisconfiguredError, match="only read"), reading(url, 5) as connection:
        connection.exec_driver_sql("DELETE FROM orders")


def test_a_slow_statement_is_stopped(tmp_path: Path, url: str) -> None:
    slow = {"sql": "(SELECT 1.0 FROM pg_sleep(30))"}

    with pytest.raises(TransientError, match="did not finish"):
        fetch(tmp_path, url, MAPPING | {"amount": slow}, statement_timeout=0.3, **CHANGE_DAY)


def test_a_lock_is_worth_a_retry(tmp_path: Path, url: str) -> None:
    import psycopg

    with psycopg.connect(url) as other:
        other.execute("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(TransientError):
            fetch(tmp_path, url, MAPPING, statement_timeout=1, **CHANGE_DAY)


def test_a_missing_right_is_denied_and_missing_names_are_told(tmp_path: Path, url: str) -> None:
    execute(url, "CREATE ROLE guest LOGIN PASSWORD 'pa55word'")
    guest = (
        url.replace("://postgres", "://guest")
        .replace("guest:@", "guest:pa55word@")
        .replace("guest@", "guest:pa55word@")
    )

    with pytest.raises(DeniedError, match="permission denied") as denied:
        fetch(tmp_path, guest, MAPPING, **CHANGE_DAY)
    assert "pa55word" not in f"{denied.value} {denied.value.hint}"
    with pytest.raises(MisconfiguredError, match="no table ordres"):
        fetch(tmp_path, url, MAPPING | {"table": "ordres"}, **CHANGE_DAY)
    with pytest.raises(MisconfiguredError, match="does not understand"):
        fetch(tmp_path, url, MAPPING | {"where": "colour = 1"}, **CHANGE_DAY)


def test_an_empty_day_is_empty_in_both_modes(tmp_path: Path, url: str) -> None:
    for mode in MODES:
        assert fetch(tmp_path, url, MAPPING, mode=mode, date="2026-12-24", timezone="Europe/Berlin")[0].no_data
    assert only(kpis(tmp_path, url, MAPPING, date="2026-10-26", timezone="Europe/Berlin")).orders == 1
