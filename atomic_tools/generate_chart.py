"""Draw one day of sales as a PNG: bars by hour with the line to compare with, and the top products."""

from __future__ import annotations

from typing import ClassVar

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from pydantic import Field

from atomic_tools import (
    Artifact,
    Effect,
    InvalidInputError,
    ToolContext,
    ToolError,
    ToolInput,
    ToolOutput,
    tool,
)
from atomic_tools._chart_canvas import GAIN, LARGE, LINE, MEDIUM, QUIET, WIDTH, Canvas, blank, fixed_style
from atomic_tools._chart_check import faults
from atomic_tools._chart_fonts import typeface
from atomic_tools._chart_hours import draw_hours
from atomic_tools._chart_products import draw_products
from atomic_tools._chart_words import Scene
from atomic_tools._report_headline import without_orders
from atomic_tools._report_numbers import LocaleName
from atomic_tools._report_text import one_line
from atomic_tools._report_words import Voice
from atomic_tools._sales import CurrencyKpis, SalesKpis

_MARGIN = 24
_LINE_WIDTH = WIDTH - 2 * _MARGIN


class Input(ToolInput):
    """The day's figures, and how to show them."""

    kpis: SalesKpis
    """The figures of one day, from `calculate_kpis`."""
    currency: str | None = None
    """Which currency is drawn; the main one where it is not given. The others are named below the chart."""
    locale: LocaleName = "en_US"
    """How numbers and dates are written, and in which language the labels are."""
    title: str | None = None
    """Names the shop or report above the picture."""


class Output(ToolOutput):
    """The picture, the same in words, and what could not be drawn."""

    chart: Artifact
    """PNG, 1200 by 600 pixels."""
    alt_text: str = Field(min_length=1, max_length=1000)
    table: str = ""
    """The bars as a Markdown table, for where the picture cannot be shown."""
    missing_glyphs: int = Field(ge=0)
    """Characters in texts that no font has; each is drawn as an empty square."""
    missing_examples: tuple[str, ...] = ()
    """Some of them, as U+XXXX."""
    empty: bool
    """True for a day without orders: the picture says so."""

    def summary(self) -> str:
        """Name and size of the picture, and what is missing in it."""
        kind = "a day without orders" if self.empty else "hours and top products"
        missing = f", {self.missing_glyphs} characters without glyph" if self.missing_glyphs else ""
        return f"{self.chart.name}, {self.chart.size} bytes: {kind}{missing}"[:200]


class UnreadableChartError(ToolError):
    """The finished chart has a clipped or overlapping text."""

    kind: ClassVar[str] = "invalid_output"


@tool(effect=Effect.NONE)
def generate_chart(request: Input, context: ToolContext) -> Output:
    """Draw the chart and check it as the eye would."""
    voice = Voice(request.locale)
    title = one_line(request.title or voice.say("title"), 80)
    scene = Scene(request.kpis, _figures(request), voice, title)
    texts = list(scene.texts())
    face = typeface(texts, request.locale)
    with fixed_style(face):
        canvas = blank(face)
        draw(canvas, scene)
        picture = canvas.png()
        found = faults(canvas)
    if found:
        raise UnreadableChartError("; ".join(found)[:500], hint="report this with the day's figures")
    return Output(
        chart=context.save(f"sales-{request.kpis.day.date}.png", picture, "image/png"),
        alt_text=scene.alt_text(),
        table=scene.table(),
        missing_glyphs=sum(character in face.missing for text in texts for character in text),
        missing_examples=tuple(sorted(f"U+{ord(each):04X}" for each in face.missing))[:5],
        empty=scene.figures is None,
    )


def _figures(request: Input) -> CurrencyKpis | None:
    if without_orders(request.kpis):
        return None
    codes = {each.currency: each for each in request.kpis.currencies}
    code = request.currency or request.kpis.currencies[0].currency
    if code not in codes:
        raise InvalidInputError(f"no sales in {code} on this day, only in {', '.join(codes)}")
    return codes[code]


def draw(canvas: Canvas, scene: Scene) -> None:
    """Put the scene on a blank canvas, inside `fixed_style`."""
    canvas.write(canvas.fitted(scene.heading, _LINE_WIDTH, LARGE), _MARGIN, 576, size=LARGE, va="top")
    if scene.figures is None:
        _draw_empty(canvas, scene)
        return
    line = canvas.fitted(scene.net_line(scene.figures), _LINE_WIDTH, MEDIUM)
    canvas.write(line, _MARGIN, 528, size=MEDIUM, va="top", color=QUIET)
    _draw_figures(canvas, scene, scene.figures)


def _draw_empty(canvas: Canvas, scene: Scene) -> None:
    text = canvas.fitted(scene.empty, _LINE_WIDTH, LARGE)
    canvas.write(text, WIDTH / 2, 310, size=LARGE, ha="center", va="center")
    canvas.write(canvas.fitted(scene.zone, _LINE_WIDTH), WIDTH / 2, 255, ha="center", va="center", color=QUIET)


def _draw_figures(canvas: Canvas, scene: Scene, figures: CurrencyKpis) -> None:
    if figures.by_hour:
        draw_hours(canvas, figures, scene.kpis.day, scene.voice)
        _legend(canvas, scene.legend(figures))
    else:
        canvas.write(canvas.fitted(scene.voice.say("no_hours"), 700), _MARGIN, 280, color=QUIET)
    canvas.write(canvas.fitted(scene.zone, 700), _MARGIN, 70, va="top", color=QUIET)
    canvas.write(canvas.fitted(scene.note(figures), _LINE_WIDTH), _MARGIN, 37, va="top", color=QUIET)
    if figures.top_products:
        canvas.write(scene.voice.say("top_products"), 790, 459)
        draw_products(canvas, figures, scene.voice)


def _legend(canvas: Canvas, labels: list[str]) -> None:
    marks = [Patch(facecolor=GAIN), Line2D([], [], color=LINE, linewidth=2.2, marker="o", markersize=3)]
    shown = [canvas.fitted(label, 340) for label in labels]
    canvas.figure.legend(
        marks[: len(shown)],
        shown,
        loc="lower left",
        bbox_to_anchor=(_MARGIN / WIDTH, 452 / 600),
        ncols=2,
        frameon=False,
        borderpad=0,
        borderaxespad=0,
        handlelength=1.2,
        columnspacing=1.2,
    )
