"""The chart's texts: title, number, legend, notes, and the whole in words for who cannot see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from atomic_tools._chart_hours import compared, elapsed_hours
from atomic_tools._chart_products import shown_products
from atomic_tools._report_headline import against_main_base
from atomic_tools._report_numbers import long_date, short_money
from atomic_tools._report_sections import table
from atomic_tools._report_text import one_line
from atomic_tools._report_words import Voice
from atomic_tools._sales import CurrencyKpis, SalesKpis

_ALT_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Scene:
    """What one chart shows: a day, and one currency of it, or none on a day without orders."""

    kpis: SalesKpis
    figures: CurrencyKpis | None
    voice: Voice
    title: str

    @property
    def heading(self) -> str:
        """Title and day."""
        day = long_date(self.kpis.day.date, self.voice.locale)
        return self.voice.say("heading", title=self.title, date=day)

    @property
    def empty(self) -> str:
        """What a chart of nothing says."""
        return self.voice.say("no_orders_on", date=long_date(self.kpis.day.date, self.voice.locale))

    @property
    def zone(self) -> str:
        """The day's zone, and its length when that is not 24 hours."""
        hours, text = elapsed_hours(self.kpis.day), self.voice.say("local_time", zone=self.kpis.day.timezone)
        return text if hours == 24 else f"{text} · {self.voice.say('clock_change', hours=str(hours))}"

    def net_line(self, figures: CurrencyKpis) -> str:
        """The day's number and the comparison that matters."""
        base = against_main_base(figures, self.voice)
        return one_line(self.voice.say("net_line", money=self.voice.net(figures), comparison=base), 300)

    def legend(self, figures: CurrencyKpis) -> list[str]:
        """What the bars are, and what the line is where there is one."""
        base = compared(figures)
        return [self.voice.say("per_hour"), *([self.voice.base_name(base)] if base else [])]

    def note(self, figures: CurrencyKpis) -> str:
        """What the chart leaves out."""
        others = [each for each in self.kpis.currencies if each is not figures]
        amounts = ", ".join(self.voice.net(each) for each in others)
        return self.voice.say("also", amounts=amounts) if amounts else ""

    def alt_text(self) -> str:
        """The chart in words, at most 1,000 characters."""
        if self.figures is None:
            return self.voice.say("alt_empty", text=self.empty)
        return one_line(" ".join(_alt(self, self.figures)), _ALT_LIMIT)

    def table(self) -> str:
        """The bars as a Markdown table, for where the picture cannot be shown; empty where there are none."""
        hours = [each for each in self.figures.by_hour if each.amount or each.orders] if self.figures else []
        if self.figures is None or not hours:
            return ""
        rows = [(each.label, self.voice.money(each.amount, self.figures.currency)) for each in hours]
        return table((self.voice.say("per_hour"), self.voice.say("amount")), rows)

    def texts(self) -> Iterator[str]:
        """Every text that may be drawn, for the choice of fonts."""
        yield from (self.heading, self.empty, self.zone, *self.voice.all_words())
        if self.figures is not None:
            yield from (self.net_line(self.figures), self.note(self.figures), *self.legend(self.figures))
            yield from (one_line(each.product) for each in shown_products(self.figures))
            yield from _amounts(self.figures, self.voice)


def _amounts(figures: CurrencyKpis, voice: Voice) -> Iterator[str]:
    by_hour, by_product = figures.by_hour, figures.top_products
    for amount in [each.amount for each in by_hour] + [each.amount for each in by_product]:
        yield voice.money(amount, figures.currency)
        yield short_money(amount, figures.currency, voice.locale)


def _alt(scene: Scene, figures: CurrencyKpis) -> Iterator[str]:
    voice = scene.voice
    day = long_date(scene.kpis.day.date, voice.locale)
    yield voice.say("alt", date=day, currency=figures.currency, zone=scene.kpis.day.timezone)
    yield f"{scene.net_line(figures)}."
    if figures.by_hour:
        peak = max(figures.by_hour, key=lambda each: each.amount)
        yield voice.say("peak", label=peak.label, amount=voice.money(peak.amount, figures.currency))
    if base := compared(figures):
        yield voice.say("line_is", base_name=voice.base_name(base))
    named = [
        f"{one_line(each.product, 60)} {voice.money(each.amount, figures.currency)}" for each in shown_products(figures)
    ]
    if named:
        yield voice.say("alt_products", products=", ".join(named))
