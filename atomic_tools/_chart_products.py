"""The right panel: the top products, each a name, an amount and a horizontal bar."""

from __future__ import annotations

from matplotlib.patches import Rectangle

from atomic_tools._chart_canvas import GAIN, HEIGHT, LOSS, QUIET, WIDTH, Canvas
from atomic_tools._report_text import one_line
from atomic_tools._report_words import Voice
from atomic_tools._sales import CurrencyKpis, ProductSales

SHOWN = 6
_LEFT, _RIGHT, _TOP, _STEP = 790, 1176, 440, 66
_GAP = 14


def shown_products(figures: CurrencyKpis) -> tuple[ProductSales, ...]:
    """Those that have room."""
    return figures.top_products[:SHOWN]


def draw_products(canvas: Canvas, figures: CurrencyKpis, voice: Voice) -> None:
    """Draw the panel into its place."""
    products = shown_products(figures)
    largest = max((abs(float(each.amount)) for each in products), default=0.0) or 1.0
    for row, product in enumerate(products):
        top = _TOP - row * _STEP
        _label(canvas, product, figures.currency, voice, top)
        _bar(canvas, float(product.amount), largest, top)


def _label(canvas: Canvas, product: ProductSales, currency: str, voice: Voice, top: float) -> None:
    amount = canvas.fitted(voice.money(product.amount, currency), (_RIGHT - _LEFT) * 0.6)
    room = _RIGHT - _LEFT - canvas.width(amount) - _GAP
    name = one_line(product.product) or voice.say("no_name")
    canvas.write(canvas.fitted(name, room), _LEFT, top - 4, va="top")
    canvas.write(amount, _RIGHT, top - 4, va="top", ha="right", color=QUIET)


def _bar(canvas: Canvas, amount: float, largest: float, top: float) -> None:
    width = (_RIGHT - _LEFT) * abs(amount) / largest
    corner, color = (_LEFT / WIDTH, (top - 50) / HEIGHT), LOSS if amount < 0 else GAIN
    canvas.figure.add_artist(Rectangle(corner, width / WIDTH, 11 / HEIGHT, facecolor=color, linewidth=0))
