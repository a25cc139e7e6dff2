"""The one sentence of a report: the one number, and the comparison that matters."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from atomic_tools._report_numbers import percent, short_date, signed_money
from atomic_tools._report_text import one_line
from atomic_tools._report_words import Voice
from atomic_tools._sales import Comparison, CurrencyKpis, SalesKpis

_ORDER = ("same_weekday_last_week", "trailing_four_same_weekdays", "previous_day")
_DAYS_BACK = {"same_weekday_last_week": 7, "previous_day": 1}


def headline(kpis: SalesKpis, voice: Voice, flags: tuple[str, ...]) -> str:
    """One plain line that makes sense by itself in a notification; `flags` ("Incomplete") come first."""
    start = " · ".join(flags)
    return one_line(f"{start}: {_sentence(kpis, voice)}" if start else _sentence(kpis, voice), 300)


def _sentence(kpis: SalesKpis, voice: Voice) -> str:
    day = short_date(kpis.day.date, voice.locale)
    if without_orders(kpis):
        return voice.say("no_orders_on", date=day)
    main, *others = kpis.currencies
    text = voice.say("headline", money=voice.net(main), date=day, comparison=against_main_base(main, voice))
    amounts = ", ".join(voice.net(each) for each in others)
    return voice.say("also_headline", sentence=text, amounts=amounts) if amounts else text


def without_orders(kpis: SalesKpis) -> bool:
    """Whether the day has nothing to report; a day with refunds only has."""
    return kpis.no_data or not kpis.currencies


def main_comparison(figures: CurrencyKpis) -> Comparison | None:
    """The comparison that a reader wants first: of those with a base, the one that weighs most."""
    ranked = by_weight(figures)
    return next((each for each in ranked if each.base is not None), ranked[0] if ranked else None)


def by_weight(figures: CurrencyKpis) -> list[Comparison]:
    """The comparisons, the one that says most about a weekly business first."""
    return sorted(figures.comparisons, key=lambda each: _ORDER.index(each.against))


def against_main_base(figures: CurrencyKpis, voice: Voice) -> str:
    """ "up 4.2% on the same weekday last week ($1,200.00)", or why there is nothing to compare with."""
    comparison = main_comparison(figures)
    if comparison is None or comparison.base is None or comparison.difference is None:
        reason = comparison.reason if comparison else None
        return voice.say("no_base", reason=reason or voice.say("unknown_reason"))
    movement = _movement(comparison, figures.currency, voice)
    return voice.say("with_base", movement=movement, base=voice.money(comparison.base, figures.currency))


def _movement(comparison: Comparison, currency: str, voice: Voice) -> str:
    name, difference = voice.base_name(comparison), comparison.difference or Decimal(0)
    if not difference:
        return voice.say("level", base_name=name)
    if comparison.percent is None:
        return voice.say("changed", base_name=name, difference=signed_money(difference, currency, voice.locale))
    way = "up" if difference > 0 else "down"
    return voice.say(way, base_name=name, percent=percent(abs(comparison.percent), voice.locale))


def base_date(comparison: Comparison, day: date) -> date | None:
    """The day that a comparison is made against; None where it is several."""
    back = _DAYS_BACK.get(comparison.against)
    return day - timedelta(days=back) if back else None
