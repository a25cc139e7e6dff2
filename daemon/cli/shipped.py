"""Where the files lie that come with the package: in a checkout beside it, else where the wheel put them."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from .trouble import Unavailable


def shipped(name: str, proof: str) -> Path:
    """The folder of that name, known by a file in it. Raises Unavailable."""
    places = (Path(__file__).parents[2] / name, Path(sysconfig.get_path("data")) / "share/clockwright" / name)
    for place in places:
        if (place / proof).exists():
            return place
    raise Unavailable(f"the shipped {name} is missing from this installation: looked in {places[1]}")
