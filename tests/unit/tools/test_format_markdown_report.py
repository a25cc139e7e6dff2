"""The Markdown report: what it says, and that data in it stays data."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pydantic import ValidationError

from atomic_tools import Artifact
from atomic_tools._report_text import markdown_literal, one_line, shortened
from atomic_tools._sales import Finding, SalesKpis
from atomic_tools.format_markdown_report import Input, Output, format_markdown_report
from tests.unit.tools.sales_samples import (
    DAY,
    NASTY_NAMES,
    PING_NAMES,
    as_input,
    context,
    currency,
    empty_day,
    sales,
)

GOLDEN = Path(__file__).parent / "golden"
CHART = Artifact(name="sales-2026-03-10.png", sha256="0" * 64, size=1, media_type="image/png")
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
NEVER = re.compile(r"\bnan\b|\bNone\b|\binf\b|-0\.00|\d[eE]\+\d|\ufeff|\ufffd", re.IGNORECASE)


def write(folder: Path, kpis: SalesKpis, **fields: object) -> tuple[Output, str]:
    given = Input.model_validate({"kpis": kpis, "chart": CHART, "alt_text": "Bars", **fields})
    output = format_markdown_report(given, context(folder))
    assert isinstance(output, Output)
    return output, (folder / "out" / output.report.name).read_text()


def shown_text(markdown: str) -> str:
    """What a reader of the rendered report sees."""
    tokens = READER.parse(markdown)
    return "\n".join(child.content for token in tokens for child in token.children or ())


@pytest.mark.parametrize("locale", ["en_US", "zh_CN"])
def test_a_normal_day_reads_as_the_stored_report(tmp_path: Path, locale: str) -> None:
    twice = Finding(code="duplicate", count=3, message="orders that came twice, counted once", examples=("A|1", "B_2"))
    _, text = write(tmp_path, sales(findings=(twice,)), locale=locale)
    assert text == (GOLDEN / f"report-{locale}.md").read_text()


def test_the_headline_says_number_day_and_comparison_in_its_first_hundred_characters(tmp_path: Path) -> None:
    output, _ = write(tmp_path, sales(), title="Berlin")
    assert output.headline[:100].startswith(
        "Berlin: €4,777.56 net sales on Mar 10, 2026, down 3.0% on the same weekday"
    )
    assert output.summary() == output.headline


@pytest.mark.parametrize("locale", ["en_US", "zh_CN", "de_DE", "ar_EG"], ids=lambda locale: f"CB-025-{locale}")
def test_a_day_without_orders_says_so_and_invents_no_number(tmp_path: Path, locale: str) -> None:
    output, text = write(tmp_path, empty_day(), locale=locale)
    assert not NEVER.search(text + output.headline + output.message_markdown)
    assert ("没有订单" if locale == "zh_CN" else "No orders on") in output.headline


def test_what_is_missing_is_named_and_the_headline_says_incomplete(tmp_path: Path) -> None:
    output, text = write(tmp_path, sales(), chart=None, missing=["chart: timed out after 60 s"])
    assert output.headline.startswith("Incomplete: €4,777.56")
    assert "chart: timed out after 60 s" in text
    assert "chart: timed out after 60 s" in output.message_markdown
    assert output.missing_count == 1


def test_an_absent_chart_is_named_unless_the_job_draws_none(tmp_path: Path) -> None:
    assert write(tmp_path, sales(), chart=None)[0].missing_count == 1
    assert write(tmp_path, sales(), chart=None, chart_expected=False)[0].missing_count == 0


def test_a_changed_day_is_marked_as_a_correction_with_both_figures(tmp_path: Path) -> None:
    first, _ = write(tmp_path, sales())
    later = sales(currency(code="EUR").model_copy(update={"net": Decimal("4800.00"), "orders": 277}))
    output, text = write(tmp_path, later, previous_report=as_input(tmp_path, first.report))
    assert output.corrected
    assert output.headline.startswith("Correction: €4,800.00")
    assert "net was €4,777.56, is now €4,800.00 (+€22.44); orders were 276, are now 277" in text


def test_the_same_figures_again_are_no_correction(tmp_path: Path) -> None:
    first, text = write(tmp_path, sales())
    output, again = write(tmp_path, sales(), previous_report=as_input(tmp_path, first.report))
    assert not output.corrected
    assert again == text


def test_an_earlier_report_that_cannot_be_read_is_named_as_missing(tmp_path: Path) -> None:
    torn = context(tmp_path).save("torn.md", b"# half a rep\xff")
    output, text = write(tmp_path, sales(), previous_report=as_input(tmp_path, torn))
    assert not output.corrected
    assert "figures cannot be read" in text


def test_a_report_of_another_day_is_not_corrected(tmp_path: Path) -> None:
    first, _ = write(tmp_path, empty_day())
    other = sales().day.model_copy(update={"date": DAY.replace(day=11)})
    output, _ = write(
        tmp_path, sales().model_copy(update={"day": other}), previous_report=as_input(tmp_path, first.report)
    )
    assert not output.corrected


@pytest.mark.parametrize("name", [*PING_NAMES, *NASTY_NAMES, "a|b\n| c |", "[x](http://evil.example)", "`` `"])
def test_a_product_name_is_shown_exactly_and_is_never_markup(tmp_path: Path, name: str) -> None:
    _, text = write(tmp_path, sales(currency(names=[name])))
    assert name.replace("\n", " ") in shown_text(text)
    assert not any(token.type.startswith(("link", "html")) for token in READER.parse(text)[:-1])


def test_a_row_of_the_table_has_three_cells_whatever_the_name(tmp_path: Path) -> None:
    _, text = write(tmp_path, sales(currency(names=["a|b\n| c |", "\\|", "x\u2028y"])))
    rows = [line for line in text.split("\n") if re.search("€(1,000|917|834).50 ", line)]
    assert [len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows] == [4, 4, 4]


def test_cp1252_punctuation_stays_and_a_byte_order_mark_goes(tmp_path: Path) -> None:
    """CB-033."""
    _, text = write(tmp_path, sales(currency(names=["\ufeffCafé “No. 5” –\xa0€9"])))
    assert "Café “No. 5” –\xa0€9" in text
    assert not any(wrong in text for wrong in ("\ufeff", "\ufffd", "Ã©", "â€œ"))


@given(st.text(max_size=300))
def test_any_text_reads_back_from_markdown_as_one_line(text: str) -> None:
    shown = READER.parse(f"x{markdown_literal(text)}x")
    assert shown[1].content is not None
    assert "".join(child.content for child in shown[1].children or ()) == f"x{one_line(text)}x"


@given(st.text(max_size=60), st.integers(1, 40))
def test_a_shortened_text_keeps_its_limit(text: str, limit: int) -> None:
    assert len(shortened(text, limit)) <= max(limit, 1)


def test_a_report_of_fifty_long_names_stays_within_the_inline_size(tmp_path: Path) -> None:
    names = [f"{index} 超长的商品名称 \\*|`" * 30 for index in range(50)]
    long = Finding(code="x", count=1, message="很长的说明 *" * 60, examples=("“例”" * 99,) * 3)
    kpis = sales(currency("CNY", names), currency("JPY", names), currency("EUR", names), findings=(long,) * 30)
    output, text = write(tmp_path, kpis, locale="zh_CN", missing=["缺少数据" * 50] * 20, title="店" * 200)
    assert len(output.model_dump_json().encode()) < 8192
    assert "49 超长" in text


def test_an_unknown_locale_is_refused_with_a_hint() -> None:
    with pytest.raises(ValidationError, match="unknown locale 'xx_YY'; write language and country"):
        Input(kpis=sales(), locale="xx_YY")
