"""The left panel: a bar for every hour of the day, and the line to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from math import ceil
from zoneinfo import ZoneInfo

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from atomic_tools._chart_canvas import FAINT, GAIN, HEIGHT, LINE, LOSS, QUIET, WIDTH, Canvas
from atomic_tools._report_headline import by_weight
from atomic_tools._report_numbers import short_money
from atomic_tools._report_words import Voice
from atomic_tools._sales import Comparison, CurrencyKpis, HourSales, LocalDay

_HOUR = timedelta(hours=1)
_OUTLIER = 8
"""A bar this many times higher than all else is broken off, or nothing else could be seen."""
_BOTTOM, _TOP, _RIGHT = 116, 440, 745


@dataclass(frozen=True, slots=True)
class Range:
    """The amounts between which bars are drawn to scale; a bar beyond is broken off and says its amount."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """Never zero."""
        return self.high - self.low


def compared(figures: CurrencyKpis) -> Comparison | None:
    """The comparison whose hours are known, the one that weighs most."""
    return next((each for each in by_weight(figures) if each.by_hour), None)


def elapsed_hours(day: LocalDay) -> int:
    """23, 24 or 25; a broken hour counts."""
    return ceil((day.end - day.start) / _HOUR)


def draw_hours(canvas: Canvas, figures: CurrencyKpis, day: LocalDay, voice: Voice) -> None:
    """Draw the panel into its place."""
    line = _line(figures, day)
    heights = _range([float(each.amount) for each in figures.by_hour], line)
    ticks = _ticks(heights)
    labels = [short_money(Decimal(str(tick)), figures.currency, voice.locale) for tick in ticks]
    left = 36 + max(canvas.width(label) for label in labels)
    axes = _axes(canvas, left, elapsed_hours(day), heights)
    axes.set_yticks(ticks, labels=labels)
    _hour_ticks(axes, figures.by_hour, day)
    _bars(axes, figures.by_hour, day, heights)
    if line:
        axes.plot(range(len(line)), line, color=LINE, linewidth=2.2, marker="o", markersize=3)
    _mark_extremes(canvas, axes, figures, day, voice)


def _axes(canvas: Canvas, left: float, hours: int, heights: Range) -> Axes:
    box = (left / WIDTH, _BOTTOM / HEIGHT, (_RIGHT - left) / WIDTH, (_TOP - _BOTTOM) / HEIGHT)
    axes = canvas.figure.add_axes(box)
    axes.set_xlim(-1.2, hours - 0.4)
    margin = heights.span * 0.13
    axes.set_ylim(heights.low - (margin if heights.low < 0 else 0), heights.high + margin)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.tick_params(axis="x", pad=7)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    axes.axhline(0, color=QUIET, linewidth=1.0)
    return axes


def _range(bars: Sequence[float], line: Sequence[float]) -> Range:
    """From the lowest to the highest, zero included; one amount far beyond all others does not count."""
    largest, *others = sorted((abs(each) for each in (*bars, *line)), reverse=True) or [0.0]
    second = others[0] if others else 0.0
    limit = 1.5 * second if 0 < second * _OUTLIER < largest else largest or 1.0
    low, high = max(min((0.0, *bars, *line)), -limit), min(max((0.0, *bars, *line)), limit)
    return Range(low, high if high > low else low + 1.0)


def _ticks(heights: Range) -> list[float]:
    ticks = MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]).tick_values(heights.low, heights.high)
    return [float(tick) + 0.0 for tick in ticks if heights.low <= tick <= heights.high]


def _hour_ticks(axes: Axes, hours: Sequence[HourSales], day: LocalDay) -> None:
    """Every third wall-clock hour by its own label, where the one before leaves room for it."""
    shown: dict[float, str] = {}
    for each in hours:
        position = _position(each, day)
        if _wall_hour(each, day) % 3 == 0 and position - max(shown, default=-3.0) >= 3:
            shown[position] = each.label[:5]
    axes.set_xticks(list(shown), labels=list(shown.values()))


def _bars(axes: Axes, hours: Sequence[HourSales], day: LocalDay, heights: Range) -> None:
    """All bars; one that is broken off shows a gap."""
    bars = [(_position(each, day), float(each.amount)) for each in hours]
    gains, losses = [bar for bar in bars if bar[1] >= 0], [bar for bar in bars if bar[1] < 0]
    for group, color, hatch in ((gains, GAIN, None), (losses, LOSS, "//")):
        ends = [min(max(amount, heights.low), heights.high) for _, amount in group]
        axes.bar([at for at, _ in group], ends, width=0.78, color=color, hatch=hatch, edgecolor="white")
        broken = [(at, end) for (at, amount), end in zip(group, ends, strict=True) if amount != end]
        for at, end in broken:
            axes.bar(at, heights.span * 0.03, bottom=end * 0.82, width=1.0, color="white")


def _mark_extremes(canvas: Canvas, axes: Axes, figures: CurrencyKpis, day: LocalDay, voice: Voice) -> None:
    """Write the highest amount over its bar, and a negative one below the lowest."""
    hours = figures.by_hour
    highest, lowest = max(hours, key=lambda each: each.amount), min(hours, key=lambda each: each.amount)
    for each in dict.fromkeys((highest, lowest)):
        if (each.amount > 0 and each is highest) or each.amount < 0:
            text = voice.money(each.amount, figures.currency)
            _over_bar(canvas, axes, text, _position(each, day), float(each.amount))


def _over_bar(canvas: Canvas, axes: Axes, text: str, position: float, amount: float) -> None:
    """Beside the end of the bar, moved sideways where it would leave the panel."""
    low, high = axes.get_ylim()
    margin = (high - low) * 0.13 / 1.13
    x, y = axes.transData.transform((position, min(max(amount, low + margin), high - margin)))
    half = canvas.width(text) / 2
    start = min(max(x - half, axes.bbox.x0 + 2), axes.bbox.x1 - 2 * half)
    below = amount < 0
    behind = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1}
    canvas.write(text, start, y - 6 if below else y + 6, va="top" if below else "bottom", bbox=behind)


def _line(figures: CurrencyKpis, day: LocalDay) -> list[float]:
    """The base for each elapsed hour of this day, by its wall-clock hour."""
    base = compared(figures)
    if base is None:
        return []
    zone = ZoneInfo(day.timezone)
    starts = (day.start + index * _HOUR for index in range(elapsed_hours(day)))
    return [float(base.by_hour[start.astimezone(zone).hour]) for start in starts]


def _position(hour: HourSales, day: LocalDay) -> float:
    return (hour.start - day.start) / _HOUR


def _wall_hour(hour: HourSales, day: LocalDay) -> int:
    return hour.start.astimezone(ZoneInfo(day.timezone)).hour
