"""The figures and the comparisons."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from atomic_tools import BadDataError
from atomic_tools._kpi_frames import summed
from atomic_tools._kpi_products import product_name
from atomic_tools.calculate_kpis import Input, calculate_kpis
from tests.unit.tools.sales_till import compute, context, fetch, findings, kpis, only, shop

NAMED = "id INTEGER, at TEXT, amount, name TEXT, pieces INTEGER"


def test_the_day_is_compared_with_yesterday_last_week_and_the_mean_of_four_weeks(tmp_path: Path) -> None:
    nets = {"2026-03-10": 150, "2026-03-09": 100, "2026-03-03": 200, "2026-02-24": 101, "2026-02-10": 100}
    url = shop(tmp_path, [(n, f"{day} 10:00:00", net) for n, (day, net) in enumerate(nets.items())])

    found = {each.against: each for each in only(kpis(tmp_path, url)).comparisons}

    assert [str(found[name].base) for name in found] == ["100.00", "200.00", "133.67"]
    assert [str(found[name].percent) for name in found] == ["50.0", "-25.0", "12.2"]
    assert str(found["previous_day"].by_hour[10]) == "100.00"
    assert str(found["trailing_four_same_weekdays"].by_hour[10]) == "133.67"


def test_without_an_earlier_day_there_is_no_base_and_no_error(tmp_path: Path) -> None:
    found = only(kpis(tmp_path, shop(tmp_path, [(1, "2026-03-10", 5)])))

    for each in found.comparisons:
        assert (each.base, each.percent) == (None, None)
        assert str(each.reason).startswith("no base: no sales on")


def test_a_base_of_zero_gives_a_difference_and_no_percent(tmp_path: Path) -> None:
    rows = [(1, "2026-03-10", 5), (2, "2026-03-09", 7), (3, "2026-03-09", -7)]

    found = only(kpis(tmp_path, shop(tmp_path, rows))).comparisons[0]

    assert (str(found.base), str(found.difference), found.percent, found.reason) == (
        "0.00",
        "5.00",
        None,
        "no base: the base is zero",
    )


def test_products_rank_by_amount_then_quantity_then_name(tmp_path: Path) -> None:
    told = [("Zebra", 5, 1), ("Ape", 5, 1), ("Bee", 5, 2), ("Cow", 9, 1), ("Cow", -1, 0), ("ape", 5, 1)]
    url = shop(
        tmp_path,
        [(n, "2026-03-10", amount, name, pieces) for n, (name, amount, pieces) in enumerate(told)],
        NAMED,
    )

    found = only(kpis(tmp_path, url, {"product": "name", "quantity": "pieces"}, top=4))

    assert [each.product for each in found.top_products] == ["Cow", "Bee", "Ape", "Zebra"]
    assert [str(each.amount) for each in found.top_products] == ["8.00", "5.00", "5.00", "5.00"]


def test_rows_without_a_product_name_are_counted_but_not_ranked(tmp_path: Path) -> None:
    rows = [(1, "2026-03-10", 5, "Pen", 1), (2, "2026-03-10", 7, None, 1), (3, "2026-03-10", 8, " \u00a0", 1)]

    found = kpis(tmp_path, shop(tmp_path, rows, NAMED), {"product": "name"})

    assert [each.product for each in only(found).top_products] == ["Pen"]
    assert str(only(found).net) == "20.00"
    assert findings(found) == {"unnamed_product": 2}


@pytest.mark.parametrize(
    ("raw", "name"),
    [("墨汁\u3000100ml", "墨汁 100ml"), ("👩‍🎨 kit", "👩‍🎨 kit"), (" a\t b ", "a b"), ("דפתר\u200b", "דפתר")],
)
def test_names_of_every_script_stay_themselves(raw: str, name: str) -> None:
    assert product_name(raw) == name


def test_the_average_can_be_of_net_where_the_job_says_so(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10", 10), (2, "2026-03-10", 5.01), (3, "2026-03-10", -4)])

    assert str(only(kpis(tmp_path, url)).average_order_value) == "7.51"
    net = only(kpis(tmp_path, url, average_of="net"))
    assert (str(net.average_order_value), net.average_of) == ("5.51", "net")


def test_a_day_of_refunds_alone_has_no_average(tmp_path: Path) -> None:
    found = kpis(tmp_path, shop(tmp_path, [(1, "2026-03-10", -4)]))

    assert (found.no_data, only(found).orders, only(found).average_order_value) == (False, 0, None)


def test_a_currency_that_is_missing_today_is_named(tmp_path: Path) -> None:
    rows = [(1, "2026-03-10", 4, "EUR"), (2, "2026-03-09", 4, "CHF")]
    url = shop(tmp_path, rows, "id INTEGER, at TEXT, amount, currency TEXT")

    found = kpis(tmp_path, url, {"currency": None, "currency_column": "currency"})

    assert found.missing == ("no sales in CHF on 2026-03-10",)


@pytest.mark.parametrize(("date", "hours"), [("2026-03-29", 23), ("2026-10-25", 25)])
def test_every_hour_of_a_change_day_is_there_and_adds_up(tmp_path: Path, date: str, hours: int) -> None:
    day_before = {"2026-03-29": "2026-03-28", "2026-10-25": "2026-10-24"}[date]
    rows = [(n, f"{day} {n:02}:30:00", 1.5) for day in (day_before, date) for n in range(24)]

    found = only(kpis(tmp_path, shop(tmp_path, rows), timezone="Europe/Berlin", date=date))

    assert len(found.by_hour) == hours
    assert sum(each.amount for each in found.by_hour) == found.net
    assert sum(each.orders for each in found.by_hour) == found.orders


def test_sums_beyond_64_bits_fall_back_to_whole_python_numbers(tmp_path: Path) -> None:
    large = 2**61
    frame = pa.table({"key": ["a", "a", "a"], "minor": [large, large, large]}).to_pandas()

    assert list(summed(frame, ["key"])["minor"]) == [3 * large]


def test_large_amounts_are_exact_to_the_cent(tmp_path: Path) -> None:
    url = shop(tmp_path, [(n, "2026-03-10", "9999999999999.99") for n in range(1_000)])

    assert only(kpis(tmp_path, url)).net == Decimal("9999999999999990.00")


def test_the_summary_is_one_short_line(tmp_path: Path) -> None:
    url = shop(tmp_path, [(1, "2026-03-10 10:00:00", 5), (2, "2026-03-09 10:00:00", 4)])

    result = compute(*fetch(tmp_path, url))

    assert result.summary() == "2026-03-10: net 5.00 EUR from 1 orders, +25.0% on the previous day"
    json.loads(result.model_dump_json(), parse_constant=lambda word: pytest.fail(word))


def test_another_file_is_refused_as_bad_data(tmp_path: Path) -> None:
    where = context(tmp_path)
    pq.write_table(pa.table({"a": [1]}), where.new_file("other.parquet"))
    artifact = where.keep(where.workdir / "out" / "other.parquet")
    (where.workdir / "in").mkdir()
    (where.workdir / "out" / "other.parquet").rename(where.path(artifact))

    with pytest.raises(BadDataError, match="was not made by db_query_sales"):
        calculate_kpis(Input(data=artifact), where)


def test_bytes_that_are_no_parquet_are_refused_as_bad_data(tmp_path: Path) -> None:
    where = context(tmp_path)
    artifact = where.save("notes.txt", b"dear diary")
    (where.workdir / "in").mkdir()
    (where.workdir / "out" / "notes.txt").rename(where.path(artifact))

    with pytest.raises(BadDataError, match="was not made by db_query_sales"):
        calculate_kpis(Input(data=artifact), where)
