"""Slack's rules hold on every payload, whatever the text: limits, order, and no pings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomic_tools._report_text import markdown_literal
from atomic_tools._slack_blocks import body, payload, with_picture
from atomic_tools._slack_limits import faults, texts
from atomic_tools._slack_text import escaped, pieces
from tests.unit.tools.sales_samples import NASTY_NAMES, PING_NAMES

NOTE = "… shortened; all of it is in report.md"
SNIPPETS = (
    *PING_NAMES,
    *NASTY_NAMES,
    "```",
    "\n\n",
    "\n- ",
    "\n# ",
    "| a | b |\n|--|--|\n| c |",
    "> ",
    "&",
    "[x](y)",
    "字",
)


def messages(markdown: str, text: str = "Headline", alt_text: str = "") -> list[dict[str, Any]]:
    """A report with its picture, and what goes on below it."""
    first, *rest = body(markdown, NOTE, alt_text).pages
    pages = [with_picture(first, "F1", alt_text), *rest]
    return [payload("#sales", text, page, "key-1") for page in pages]


def message(markdown: str, text: str = "Headline", alt_text: str = "") -> dict[str, Any]:
    """One that fits."""
    [made] = messages(markdown, text, alt_text)
    return made


def all_texts(made: Mapping[str, Any]) -> list[str]:
    return [made["text"], *(text for block in made["blocks"] for text in texts(block))]


def section_text(made: Mapping[str, Any]) -> str:
    return "".join(block["text"]["text"] for block in made["blocks"] if block["type"] == "section")


def unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def obeys(made: Mapping[str, Any]) -> None:
    """The published limits, written down here a second time, and no live bracket anywhere."""
    blocks = made["blocks"]
    assert 1 <= len(made["text"]) <= 4000
    assert len(blocks) <= 50
    limits = {"header": 150, "section": 3000}
    assert all(0 < len(block["text"]["text"]) <= limits[block["type"]] for block in blocks if "text" in block)
    assert sum(len(text) for text in all_texts(made)[1:]) <= 12_000
    assert faults(made) == []
    assert not any(re.search("[<>]|&(?!amp;|lt;|gt;)", text) for text in all_texts(made))
    sections = [block["text"]["text"] for block in blocks if block["type"] == "section"]
    assert all(text.count("```") % 2 == 0 for text in sections)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=50), min_size=1, max_size=12),
    st.integers(1, 200_000),
)
def test_any_text_of_any_length_keeps_every_rule(parts: list[str], length: int) -> None:
    unit = "".join(parts) or "x"
    text = (unit * (length // len(unit) + 1))[:length]
    for made in messages(text, f"H{text}", text):
        obeys(made)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 200), st.sampled_from(SNIPPETS), st.integers(1, 900))
def test_any_number_of_blocks_keeps_every_rule(count: int, name: str, width: int) -> None:
    blocks = [f"## {markdown_literal(name)}\n\n```\n{name * width}\n```" for _ in range(count)]
    for made in messages("\n\n".join(["# Title", *blocks]) or "x"):
        obeys(made)


@pytest.mark.parametrize(
    "length", [2999, 3000, 3001, 4001, 12001, 40001, 200000], ids=lambda length: f"CB-041-{length}"
)
def test_a_long_report_arrives_in_order_whole_or_visibly_shortened(length: int) -> None:
    report = " ".join(f"word{index}" for index in range(length))[:length].strip()
    made = messages(report, alt_text="Bars")
    for each in made:
        obeys(each)
    shown = "".join(map(section_text, made))
    assert report.startswith(shown.strip())
    assert (shown == report) != (all_texts(made[-1])[-1] == NOTE)
    assert len(made) == 1 or all(f"{number} of {len(made)}" in str(each) for number, each in enumerate(made, start=1))


@pytest.mark.parametrize("wanted", [49, 50, 51, 120], ids=lambda wanted: f"CB-041-{wanted}-blocks")
def test_many_short_paragraphs_share_few_blocks(wanted: int) -> None:
    made = message("\n\n".join(f"Paragraph {index}" for index in range(wanted)))
    obeys(made)
    assert section_text(made).split("\n\n") == [f"Paragraph {index}" for index in range(wanted)]


def test_a_line_longer_than_a_section_is_cut_without_loss() -> None:
    """CB-041."""
    made = message("x" * 7000)
    obeys(made)
    assert section_text(made) == "x" * 7000


def test_a_long_title_is_cut_to_the_header() -> None:
    """CB-041."""
    made = message(f"# {'t' * 151}")
    obeys(made)
    assert made["blocks"][0]["text"]["text"] == "t" * 149 + "…"


def test_a_payload_over_a_limit_is_named_with_size_and_limit() -> None:
    """CB-041."""
    field = {"type": "mrkdwn", "text": "f" * 2001}
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "s" * 3001}, "fields": [field] * 11}
    found = faults({"text": "", "blocks": [section] * 51})
    assert {"number of blocks is 51, limit 50", "section text is 3001, limit 3000"} <= set(found)
    assert {"section fields is 11, limit 10", "section fields text is 2001, limit 2000"} <= set(found)
    assert "top-level text is empty" in found


@pytest.mark.parametrize("name", [*PING_NAMES, *NASTY_NAMES], ids=lambda name: f"CB-043 {name}")
def test_a_name_in_a_table_reads_back_exactly_and_pings_nobody(name: str) -> None:
    made = message(f"| Product | Amount |\n| :-- | --: |\n| {markdown_literal(name)} | 1 |", name, name)
    obeys(made)
    assert name in unescaped(section_text(made))
    assert made["text"] == escaped(name)
    assert (made["parse"], made["link_names"]) == ("none", False)
    assert all(block["text"]["verbatim"] for block in made["blocks"] if block["type"] == "section")


@pytest.mark.parametrize("name", PING_NAMES, ids=lambda name: f"CB-043 {name}")
def test_a_name_in_running_text_is_neither_ping_nor_markup(name: str) -> None:
    made = message(f"Stopped at {markdown_literal(name)}.")
    obeys(made)
    assert name in unescaped(section_text(made)).replace("\u200b", "")
    assert not re.search(r"(?<!\u200b)(?<!\w)[*_~`]", section_text(made))


def test_a_word_with_underscores_stays_copyable() -> None:
    assert pieces("daily_sales_report")[0].text == "daily_sales_report"


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**a** *b* ~~c~~ `d`", "*a* _b_ ~c~ `d`"),
        ("- a\n- b\n  - c", "• a\n• b\n    • c"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("> quoted\n> text", "&gt; quoted\n&gt; text"),
        ("[text](https://example.org/a)", "text (https://example.org/a)"),
        ("<https://example.org>", "https://example.org"),
        ("a\nb\\\nc", "a\nb\nc"),
        ("![Bars](x.png)", "Bars"),
        ("a\n# *b* `c", "a\n\n*b \u200b`c*"),
        ("<b>a</b>", "&lt;b&gt;a&lt;/b&gt;"),
    ],
)
def test_markdown_becomes_slacks_own_dialect(markdown: str, shown: str) -> None:
    assert "\n\n".join(piece.text for piece in pieces(markdown)) == shown


def test_a_table_becomes_columns_that_line_up_for_wide_characters_too() -> None:
    table = "| P | A |\n| :-- | --: |\n| 茶 | 1 |\n| ab | 20 |"
    assert pieces(table)[0].text == "P    A\n茶   1\nab  20"


@pytest.mark.parametrize("unit", ["[", "*a ", "`", "> ", "- ", "|a", "![", "<", "&", "_a", "\\", "~~"])
def test_hostile_markdown_is_read_and_keeps_every_rule(unit: str) -> None:
    for made in messages(unit * 60_000):
        obeys(made)
