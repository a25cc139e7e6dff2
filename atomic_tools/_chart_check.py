"""What the eye would object to: a text cut at the edge of the picture, or two texts over each other."""

from __future__ import annotations

from itertools import combinations
from typing import cast

from matplotlib.text import Text
from matplotlib.transforms import Bbox

from atomic_tools._chart_canvas import HEIGHT, WIDTH, Canvas

_TOUCH = 1.0
"""Pixels by which the boxes of two texts may overlap: they are rounded outwards."""


def faults(canvas: Canvas) -> list[str]:
    """Texts that are clipped or that overlap, by the boxes that the renderer gives."""
    boxes = [(text.get_text(), text.get_window_extent(canvas.renderer)) for text in visible_texts(canvas)]
    clipped = [f"{name!r} is cut off" for name, box in boxes if _outside(box)]
    pairs = combinations(boxes, 2)
    return clipped + [f"{a!r} overlaps {b!r}" for (a, one), (b, other) in pairs if _overlap(one, other)]


def visible_texts(canvas: Canvas) -> list[Text]:
    """Every text that is drawn."""
    found = cast("list[Text]", canvas.figure.findobj(Text))
    return [each for each in found if each.get_visible() and each.get_text().strip()]


def _outside(box: Bbox) -> bool:
    return bool(box.x0 < 0 or box.y0 < 0 or box.x1 > WIDTH or box.y1 > HEIGHT)


def _overlap(one: Bbox, other: Bbox) -> bool:
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    return bool(wide > _TOUCH and high > _TOUCH)
