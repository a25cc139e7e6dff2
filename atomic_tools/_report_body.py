"""The report's sections in their order, whole for the file and shorter for a message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from atomic_tools._contract import Artifact
from atomic_tools._report_figures import Change
from atomic_tools._report_headline import without_orders
from atomic_tools._report_numbers import long_date, number, signed_money, stamp
from atomic_tools._report_sections import (
    Extent,
    bullets,
    comparison_list,
    comparison_table,
    coverage,
    figures_table,
    finding_line,
    heading,
    products_table,
)
from atomic_tools._report_text import markdown_literal
from atomic_tools._report_words import Voice
from atomic_tools._sales import CurrencyKpis, SalesKpis

FULL = Extent(products=50, remarks=50, name=200)
MESSAGE = Extent(products=5, remarks=4, name=40)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that a report says, before it is laid out."""

    kpis: SalesKpis
    voice: Voice
    title: str
    headline: str
    as_of: datetime
    missing: tuple[str, ...]
    changes: tuple[Change, ...]
    chart: Artifact | None
    alt_text: str


def compose(facts: Facts, extent: Extent) -> str:
    """The report as Markdown, without a final newline. A message carries its picture beside it, not in it."""
    return "\n\n".join(_sections(facts, extent))


def _sections(facts: Facts, extent: Extent) -> Iterator[str]:
    voice = facts.voice
    day = long_date(facts.kpis.day.date, voice.locale)
    yield f"# {markdown_literal(voice.say('heading', title=facts.title, date=day))}"
    yield f"**{markdown_literal(facts.headline, 300)}**"
    yield from _correction(facts)
    if facts.chart and extent is FULL:
        yield f"![{markdown_literal(facts.alt_text, 1000)}]({facts.chart.name})"
    if facts.missing:
        lines = [markdown_literal(each, 300) for each in facts.missing]
        yield heading(voice.say("missing"), bullets(lines, voice, extent))
    if without_orders(facts.kpis):
        yield voice.say("no_orders_text")
    for figures in facts.kpis.currencies[: 2 if extent is MESSAGE else None]:
        yield from _currency(figures, facts, extent)
    yield from _notes(facts, extent)


def _correction(facts: Facts) -> Iterator[str]:
    if facts.changes:
        lines = [facts.voice.say("correction_text"), *(_change(each, facts.voice) for each in facts.changes)]
        title = f"**{facts.voice.say('correction')}.**"
        yield "\n".join(f"> {line}" for line in [f"{title} {lines[0]}", *lines[1:]])


def _change(change: Change, voice: Voice) -> str:
    code, before, after = change.currency, change.before, change.after
    return voice.say(
        "correction_line",
        currency=markdown_literal(code, 20),
        before=voice.money(before.net, code),
        after=voice.money(after.net, code),
        difference=signed_money(after.net - before.net, code, voice.locale),
        orders_before=number(before.orders, voice.locale),
        orders_after=number(after.orders, voice.locale),
    )


def _currency(figures: CurrencyKpis, facts: Facts, extent: Extent) -> Iterator[str]:
    yield figures_table(figures, facts.voice)
    if figures.comparisons:
        compared = comparison_table if extent is FULL else comparison_list
        yield compared(figures, facts.kpis.day, facts.voice)
    if figures.top_products:
        code = markdown_literal(figures.currency, 20)
        title = "top_products_in" if len(facts.kpis.currencies) > 1 else "top_products"
        yield heading(facts.voice.say(title, currency=code), products_table(figures, facts.voice, extent))


def _notes(facts: Facts, extent: Extent) -> Iterator[str]:
    voice, kpis = facts.voice, facts.kpis
    if kpis.findings:
        lines = [finding_line(each, voice, extent) for each in kpis.findings]
        yield heading(voice.say("findings"), bullets(lines, voice, extent))
    seen = stamp(facts.as_of, kpis.day.timezone)
    covers = voice.say("as_of", covers=coverage(kpis.day, voice), stamp=seen)
    yield heading(voice.say("covers"), covers)
    if extent is FULL:
        yield voice.say("definitions")
