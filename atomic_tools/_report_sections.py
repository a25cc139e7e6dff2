"""The sections of the Markdown report, each a function from figures to one block of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from atomic_tools._report_headline import base_date, by_weight
from atomic_tools._report_numbers import number, short_date, signed_money, signed_percent, stamp
from atomic_tools._report_text import markdown_literal
from atomic_tools._report_words import Voice
from atomic_tools._sales import Comparison, CurrencyKpis, Finding, LocalDay, ProductSales

_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of each list is shown, and how long a name may be."""

    products: int
    remarks: int
    name: int


def heading(text: str, *content: str) -> str:
    """A second-level section."""
    return "\n\n".join((f"## {text}", *content))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose first column is text and the others numbers. Cells come escaped."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def figures_table(figures: CurrencyKpis, voice: Voice) -> str:
    """Orders, gross, refunds, adjustments where there are any, net, average."""
    code = figures.currency
    average = figures.average_order_value
    rows = [
        (voice.say("orders"), number(figures.orders, voice.locale)),
        (voice.say("gross"), voice.money(figures.gross, code)),
        (voice.say("refunds"), voice.money(figures.refunds, code)),
        (voice.say("adjustments"), voice.money(figures.adjustments, code)),
        (f"**{voice.say('net')}**", f"**{voice.money(figures.net, code)}**"),
        (voice.say("average"), _ABSENT if average is None else voice.money(average, code)),
    ]
    shown = [row for row in rows if figures.adjustments or row[0] != voice.say("adjustments")]
    return table((voice.say("measure"), markdown_literal(code, 20)), shown)


def comparison_table(figures: CurrencyKpis, day: LocalDay, voice: Voice) -> str:
    """The day against each base; a base that is not there says why."""
    header = tuple(voice.say(key) for key in ("against", "base", "difference", "change"))
    return table(header, [_comparison_row(each, figures.currency, day, voice) for each in by_weight(figures)])


def comparison_list(figures: CurrencyKpis, day: LocalDay, voice: Voice) -> str:
    """The same, a line each: narrow enough for a phone."""
    rows = [_comparison_row(each, figures.currency, day, voice) for each in by_weight(figures)]
    shown = ((name, ", ".join(cell for cell in rest if cell != _ABSENT)) for name, *rest in rows)
    return "\n".join(f"- {name}: {rest}" for name, rest in shown)


def _comparison_row(comparison: Comparison, currency: str, day: LocalDay, voice: Voice) -> tuple[str, ...]:
    name = _dated_name(comparison, day, voice)
    if comparison.base is None or comparison.difference is None:
        return (name, _ABSENT, _ABSENT, _reason(comparison, voice.say("unknown_reason")))
    base = voice.money(comparison.base, currency)
    difference = signed_money(comparison.difference, currency, voice.locale)
    if comparison.percent is None:
        return (name, base, difference, _reason(comparison, _ABSENT))
    return (name, base, difference, signed_percent(comparison.percent, voice.locale))


def _reason(comparison: Comparison, otherwise: str) -> str:
    return markdown_literal(comparison.reason or otherwise)


def _dated_name(comparison: Comparison, day: LocalDay, voice: Voice) -> str:
    name, then = voice.base_name(comparison), base_date(comparison, day.date)
    if then is None:
        return name
    return voice.say("base_name_date", base_name=name, date=short_date(then, voice.locale))


def products_table(figures: CurrencyKpis, voice: Voice, extent: Extent) -> str:
    """The top products, their names exactly as in the data."""
    header = tuple(voice.say(key) for key in ("product", "quantity", "amount"))
    rows = [_product_row(each, figures.currency, voice, extent) for each in figures.top_products[: extent.products]]
    return table(header, rows)


def _product_row(product: ProductSales, currency: str, voice: Voice, extent: Extent) -> tuple[str, ...]:
    name = markdown_literal(product.product, extent.name) or voice.say("no_name")
    return (name, number(product.quantity, voice.locale), voice.money(product.amount, currency))


def bullets(items: Sequence[str], voice: Voice, extent: Extent) -> str:
    """A list of at most `extent.remarks` lines; what is left out is counted. Items come escaped."""
    left = len(items) - extent.remarks
    more = [voice.say("more", count=number(left, voice.locale))] if left > 0 else []
    return "\n".join(f"- {item}" for item in [*items[: extent.remarks], *more])


def finding_line(finding: Finding, voice: Voice, extent: Extent) -> str:
    """What, how often, and up to three examples."""
    what = voice.finding(finding.code) or markdown_literal(_capital(finding.message), 300)
    text = voice.say("finding", what=what, count=number(finding.count, voice.locale))
    shown = ", ".join(markdown_literal(each, extent.name) for each in finding.examples[:3])
    return voice.say("examples", text=text, examples=shown) if shown else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def coverage(day: LocalDay, voice: Voice) -> str:
    """From when to when, in which zone, and how many hours that was."""
    hours = number(int((day.end - day.start) / timedelta(hours=1)), voice.locale)
    return voice.say(
        "covers_line",
        start=stamp(day.start, day.timezone),
        end=stamp(day.end, day.timezone),
        zone=markdown_literal(day.timezone),
        hours=hours,
    )
