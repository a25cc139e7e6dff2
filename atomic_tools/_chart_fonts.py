"""The chart's own fonts, the same on every machine, and which of them a text needs.

Noto comes from two packages on PyPI; without them what DejaVu (inside matplotlib) lacks is marked as missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from matplotlib import get_data_path
from matplotlib.font_manager import FontEntry, fontManager
from matplotlib.ft2font import FT2Font

MISSING_MARK = "\u25a1"
"""What stands for a character that no font has."""
_FIRST = ("NotoSans[wght].ttf",)
_LAST = ("NotoEmoji[wght].ttf", "NotoSansSymbols[wght].ttf")
_LEFT_OUT = ("NotoSans-Italic[wght].ttf",)
_CJK_FACES = {"ja": 0, "ko": 1, "zh_Hant": 3, "zh_TW": 3, "zh_HK": 4}
_SIMPLIFIED_CHINESE = 2
_NOT_DRAWN = frozenset("\u200b\u200c\u200d\u2060\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a font file, under a family name that nothing else on the machine has."""

    path: Path
    index: int = 0

    @property
    def family(self) -> str:
        """The name by which matplotlib finds this face."""
        return f"clockwright {self.path.name} {self.index}"

    def has(self, character: str) -> bool:
        """Whether the face can draw the character."""
        return _opened(self).get_char_index(ord(character)) != 0


@dataclass(frozen=True, slots=True)
class Typeface:
    """The families that a chart's texts need, first choice first, and the characters that none has."""

    families: tuple[str, ...]
    missing: frozenset[str]

    def legible(self, text: str) -> str:
        """`text` with a visible mark for every character that cannot be drawn."""
        return "".join(MISSING_MARK if character in self.missing else character for character in text)


def typeface(texts: Iterable[str], locale: str) -> Typeface:
    """The smallest set of faces for `texts`. Chinese characters take the shapes of the locale's language."""
    faces, wanted = list(_faces(locale)), set("".join(texts)) | {MISSING_MARK, "…"}
    needed, left = faces[:1], {each for each in wanted - _NOT_DRAWN if not faces[0].has(each)}
    for face in faces[1:]:
        found = {each for each in left if face.has(each)}
        needed += [face] if found else []
        left -= found
    return Typeface(tuple(_registered(face) for face in needed), frozenset(left))


def _faces(locale: str) -> Iterator[Face]:
    """Every face there is, in the order of preference."""
    folder = _package("manimgx_fonts")
    if folder:
        scripts = sorted(path.name for path in folder.glob("*.ttf"))
        middle = [name for name in scripts if name not in (*_FIRST, *_LAST, *_LEFT_OUT)]
        yield from (Face(folder / name) for name in (*_FIRST, *middle))
    if cjk := _package("noto_cjk_sans_otc"):
        yield Face(cjk / "NotoSansCJK-Regular.ttc", _cjk_index(locale))
    if folder:
        yield from (Face(folder / name) for name in _LAST)
    yield Face(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")


def _cjk_index(locale: str) -> int:
    language, *rest = locale.split("_")
    keys = (language, *(f"{language}_{each}" for each in rest))
    return next((_CJK_FACES[key] for key in keys if key in _CJK_FACES), _SIMPLIFIED_CHINESE)


def _package(name: str) -> Path | None:
    spec = find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


@cache
def _opened(face: Face) -> FT2Font:
    return FT2Font(face.path, face_index=face.index)


@cache
def _registered(face: Face) -> str:
    """Make the face known to matplotlib, once in the life of the process."""
    fontManager.ttflist.append(
        FontEntry(
            fname=str(face.path),
            index=face.index,
            name=face.family,
            weight=400,
            stretch="normal",
            size="scalable",
        )
    )
    return face.family
