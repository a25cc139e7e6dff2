"""The chart: legible, literal, whole, and the same bytes for the same figures."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atomic_tools import InvalidInputError
from atomic_tools._chart_canvas import blank, fixed_style
from atomic_tools._chart_check import faults, visible_texts
from atomic_tools._chart_fonts import MISSING_MARK, typeface
from atomic_tools._chart_words import Scene
from atomic_tools._report_words import Voice
from atomic_tools._sales import CurrencyKpis, HourSales, SalesKpis
from atomic_tools.generate_chart import Input, Output, draw, generate_chart
from tests.unit.tools.sales_samples import NASTY_NAMES, context, currency, empty_day, hours, local_day, sales

pytestmark = pytest.mark.slow  # real pictures take seconds

SCRIPTS = ("北京烤鸭 duck 🦆", "日本の抹茶", "김치 세트", "שולחן עץ 5", "قهوة عربية", "ชา हिन्दी 👩‍👩‍👧 👍🏽")


def make(folder: Path, kpis: SalesKpis, **fields: object) -> tuple[Output, bytes]:
    output = generate_chart(Input.model_validate({"kpis": kpis, **fields}), context(folder))
    assert isinstance(output, Output)
    return output, (folder / "out" / output.chart.name).read_bytes()


def drawn(kpis: SalesKpis, locale: str = "en_US") -> list[str]:
    """The texts of the picture as matplotlib holds them; fails where the eye would object."""
    scene = Scene(kpis, kpis.currencies[0], Voice(locale), "Daily sales")
    face = typeface(scene.texts(), locale)
    with fixed_style(face):
        canvas = blank(face)
        draw(canvas, scene)
        canvas.png()
        assert faults(canvas) == []
        assert not any(text.get_parse_math() for text in visible_texts(canvas))
    return [text.get_text() for text in visible_texts(canvas)]


def with_hours(amounts: dict[int, str]) -> SalesKpis:
    def amount(index: int, hour: HourSales) -> HourSales:
        return hour.model_copy(update={"amount": Decimal(amounts.get(index, hour.amount))})

    return sales(currency(by_hour=tuple(amount(*each) for each in enumerate(hours(local_day())))))


def test_the_picture_is_a_png_of_phone_width(tmp_path: Path) -> None:
    output, picture = make(tmp_path, sales())
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", picture[16:24]) == (1200, 600)
    assert (output.chart.media_type, output.missing_glyphs, output.empty) == ("image/png", 0, False)


@pytest.mark.parametrize("names", [NASTY_NAMES[:5], NASTY_NAMES[5:]], ids=["CB-039-a", "CB-039-b"])
def test_signs_of_mathematics_in_names_are_drawn_as_they_are(tmp_path: Path, names: Sequence[str]) -> None:
    make(tmp_path, sales(currency(names=names)))
    assert set(names) <= set(drawn(sales(currency(names=names))))


def test_equal_figures_give_equal_bytes_and_the_users_settings_do_not_matter(tmp_path: Path) -> None:
    _, first = make(tmp_path, sales(currency(names=SCRIPTS)))
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "text.parse_math": True, "savefig.dpi": 10}):
        _, second = make(tmp_path, sales(currency(names=SCRIPTS)))
        assert mpl.rcParams["font.size"] == 30
    assert first == second
    assert b"Software" not in first


def test_every_script_of_the_world_that_a_shop_meets_is_drawn(tmp_path: Path) -> None:
    output, _ = make(tmp_path, sales(currency(names=SCRIPTS)))
    assert output.missing_glyphs == 0
    assert set(SCRIPTS) <= set(drawn(sales(currency(names=SCRIPTS))))


def test_a_character_without_glyph_is_marked_counted_and_named(tmp_path: Path) -> None:
    kpis = sales(currency(names=["A\ue000B\ue000"]))
    output, _ = make(tmp_path, kpis)
    assert (output.missing_glyphs, output.missing_examples) == (2, ("U+E000",))
    assert "2 characters without glyph" in output.summary()
    assert f"A{MISSING_MARK}B{MISSING_MARK}" in drawn(kpis)


@pytest.mark.parametrize(("locale", "index"), [("zh_CN", 2), ("zh_TW", 3), ("ja_JP", 0), ("ko_KR", 1), ("en_US", 2)])
def test_chinese_characters_take_the_shapes_of_the_readers_language(locale: str, index: int) -> None:
    assert any(family.endswith(f"ttc {index}") for family in typeface(["骨"], locale).families)


def test_a_day_without_orders_gives_a_picture_that_says_so(tmp_path: Path) -> None:
    """CB-025."""
    output, picture = make(tmp_path, empty_day())
    assert output.empty
    assert len(picture) > 1000
    assert "No orders on Tuesday, March 10, 2026" in output.alt_text
    assert output.table == ""
    assert not re.search(r"nan|None|inf\b", output.alt_text)


@pytest.mark.parametrize(("day", "count"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25)])
def test_the_days_of_the_clock_change_show_all_their_hours(day: date, count: int) -> None:
    changed = local_day(day)
    texts = drawn(sales(currency(by_hour=hours(changed)), day=changed))
    assert f"local time, Europe/Berlin · {count}-hour day (clock change)" in texts
    assert "21:00" in texts


@pytest.mark.parametrize(
    "amounts",
    [
        {14: "99999999.99"},
        {0: "99999999999.99"},
        {23: "-99999999.99"},
        {3: "-212.50", 10: "-1"},
        dict.fromkeys(range(24), "0"),
        dict.fromkeys(range(24), "-5"),
        dict.fromkeys(range(24), "0.01"),
    ],
    ids=[
        "outlier",
        "outlier at the edge",
        "negative outlier",
        "negative hours",
        "zeros",
        "all negative",
        "cents",
    ],
)
def test_no_label_is_clipped_or_covered_whatever_the_amounts(amounts: dict[int, str]) -> None:
    drawn(with_hours(amounts), "de_DE")


@pytest.mark.parametrize("locale", ["hi_IN", "ja_JP", "ar_EG", "zh_CN", "vi_VN", "th_TH"])
def test_an_axis_in_thousands_and_millions_is_drawn_in_the_readers_script(locale: str) -> None:
    drawn(with_hours({hour: f"{hour}250000" for hour in range(24)}), locale)


def test_an_hour_far_beyond_all_others_is_written_beside_its_broken_bar() -> None:
    texts = drawn(with_hours({14: "99999999.99"}))
    assert "€99,999,999.99" in texts
    assert "€400" in texts


def test_a_second_currency_is_named_and_not_added(tmp_path: Path) -> None:
    both = sales(currency(), currency("GBP"))
    assert "Not in this chart: £4,777.56" in drawn(both)
    assert "£4,777.56 net sales" in make(tmp_path, both, currency="GBP")[0].alt_text


def test_a_currency_that_the_day_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no sales in CHF on this day, only in EUR"):
        make(tmp_path, sales(), currency="CHF")


def test_the_chart_is_told_in_words_within_a_thousand_characters(tmp_path: Path) -> None:
    output, _ = make(tmp_path, sales(currency(names=["x" * 500] * 6)), title="T" * 500)
    assert len(output.alt_text) <= 1000
    assert "Highest hour 18:00 with €484.68. The line is the same weekday last week." in output.alt_text
    assert "| 18:00 | €484.68 |" in output.table
    assert "00:00" not in output.table, "hours without sales are left out"


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(max_size=80), max_size=8), st.decimals(-(10**12), 10**12, places=2))
def test_any_names_and_amounts_give_a_chart_without_a_fault(names: list[str], amount: Decimal) -> None:
    figures: CurrencyKpis = with_hours({7: str(amount)}).currencies[0]
    named = currency(names=names).top_products
    drawn(sales(figures.model_copy(update={"top_products": named})))
