"""A blank chart: fixed size and style whatever a matplotlibrc says, texts that fit, equal bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from matplotlib import style
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text

from atomic_tools._chart_fonts import Typeface
from atomic_tools._report_text import shortened

WIDTH, HEIGHT, DPI = 1200, 600, 150
SMALL, MEDIUM, LARGE = 11.0, 13.0, 16.0
"""Font sizes in points; at 150 dots an inch the small one is still read on a phone."""
INK, QUIET, FAINT = "#1f2933", "#52606d", "#d9dee3"
GAIN, LOSS, LINE = "#2f6db3", "#c8553d", "#e09f1f"


@contextmanager
def fixed_style(typeface: Typeface) -> Iterator[None]:
    """matplotlib's defaults and ours on top; the user's own settings are back afterwards."""
    ours: dict[str, Any] = {
        "font.family": list(typeface.families),
        "font.size": SMALL,
        "text.color": INK,
        "text.parse_math": False,
        "text.usetex": False,
        "axes.unicode_minus": False,
        "axes.edgecolor": FAINT,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
    }
    with style.context(ours, after_reset=True):
        yield


@dataclass(frozen=True, slots=True)
class Canvas:
    """The picture being drawn. Positions are pixels from the lower left corner."""

    figure: Figure
    agg: FigureCanvasAgg
    typeface: Typeface

    def write(self, text: str, x: float, y: float, *, size: float = SMALL, **look: Any) -> Text:
        """Put a line of text with its baseline at (x, y); it must fit already."""
        return self.figure.text(x / WIDTH, y / HEIGHT, text, fontsize=size, **look)

    def fitted(self, text: str, width: float, size: float = SMALL) -> str:
        """`text` legible and cut to `width` pixels, with an ellipsis where it was cut."""
        shown = self.typeface.legible(text)
        if self.width(shown, size) <= width:
            return shown
        low, high = 1, len(shown)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.width(shortened(shown, middle), size) <= width
            low, high = (middle, high) if fits else (low, middle - 1)
        return shortened(shown, low)

    def width(self, text: str, size: float = SMALL) -> float:
        """The width of a line of text in pixels."""
        properties = FontProperties(family=list(self.typeface.families), size=size)
        return float(self.renderer.get_text_width_height_descent(text, properties, ismath=False)[0])

    @property
    def renderer(self) -> RendererBase:
        """What measures and paints."""
        found: RendererBase = self.agg.get_renderer()  # type: ignore[no-untyped-call]  # matplotlib's gap
        return found

    def png(self) -> bytes:
        """The picture, without date or version inside: equal drawings give equal bytes."""
        stream = io.BytesIO()
        self.figure.savefig(stream, format="png", metadata={"Software": None})
        return stream.getvalue()


def blank(typeface: Typeface) -> Canvas:
    """A white picture; call it and draw on it inside `fixed_style`."""
    figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)
    return Canvas(figure, FigureCanvasAgg(figure), typeface)
