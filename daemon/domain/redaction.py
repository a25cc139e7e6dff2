"""Secrets out of texts: by the values that are known, by the look of a credential, and inside encodings of both.

Applied before anything is cut, because half a secret no longer looks like one.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final
from urllib.parse import quote, quote_plus, unquote_plus

from .model import Json

HIDDEN: Final = "[redacted]"
SHORTEST: Final = 4
"""A shorter value is a word like any other; hiding it would hide the text."""
_DEPTH: Final = 2
"""How many encodings are looked through: base64 in a URL, but not turtles all the way down."""

_LOOKS: Final = re.compile(
    r"""
      xox[a-z]-[\w-]{6,} | xapp-[\w-]{6,}                       # Slack
    | hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]+
    | \b(?:sk|pk|rk)[-_](?:live_|test_|proj-|ant-)?[A-Za-z0-9_-]{12,}
    | \bgh[pousr]_\w{16,} | \bgithub_pat_\w{16,} | \bglpat-[\w-]{16,}
    | \bA(?:KIA|SIA)[A-Z0-9]{16}\b | \bAIza[\w-]{30,}
    | \beyJ[\w-]{8,2000}\.[\w-]{8,2000}(?:\.[\w-]{0,2000})?                    # JWT
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----[\s\S]*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | (?i:\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}
    """,
    re.VERBOSE,
)
_IN_URL: Final = re.compile(r"://[^\s/@\"'<>]+@")
_NAMED: Final = re.compile(
    r"""(?ix)((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization)
        ["']?\s*[=:]\s*["']?)(?!\[redacted\])([^\s"'&,;}]{4,})"""
)
_WORD: Final = re.compile(r"[^\s\"'<>&?=]+")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
"""Every pattern reads a text once from left to right: what a tool says must not be able to hold a run up."""


class Redactor:
    """Called with a text it gives the text without secrets. `secrets` are known values; none is kept elsewhere."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = tuple(sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True))

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"

    def __call__(self, text: str) -> str:
        return self._cut_off(self._clean(text, _DEPTH))

    def json(self, value: Json) -> Json:
        """Every string in `value`, keys too."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list | tuple):
            return [self.json(item) for item in value]
        if isinstance(value, dict):
            return {self(str(key)): self.json(item) for key, item in value.items()}
        return value

    @cached_property
    def _known(self) -> re.Pattern[str] | None:
        forms = {form for secret in self._secrets for form in _forms(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        return re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def _clean(self, text: str, depth: int) -> str:
        if self._known:
            text = self._known.sub(HIDDEN, text)
        text = _IN_URL.sub(f"://{HIDDEN}@", _LOOKS.sub(HIDDEN, text))
        text = _NAMED.sub(rf"\1{HIDDEN}", text)
        if depth == 0:
            return text
        text = _WORD.sub(lambda word: self._unless_hiding(word[0], _from_url(word[0]), depth), text)
        return _BASE64.sub(lambda run: self._unless_hiding(run[0], _from_base64(run[0]), depth), text)

    def _unless_hiding(self, run: str, plain: str, depth: int) -> str:
        """The run itself, or nothing of it where what it encodes holds a secret."""
        return HIDDEN if plain and self._clean(plain, depth - 1) != plain else run

    def _cut_off(self, text: str) -> str:
        """A text that someone cut before us may end in the first half of a secret."""
        end = text.rstrip("… .")
        for secret in self._secrets:
            for length in range(min(len(secret) - 1, len(end)), SHORTEST - 1, -1):
                if end.endswith(secret[:length]):
                    return end[:-length] + HIDDEN
        return text


def _forms(secret: str) -> Iterator[str]:
    """How a value may be written: as it is, in a URL, in JSON, in hex, in base64 at any offset."""
    raw = secret.encode(errors="surrogatepass")
    yield from (secret, quote(secret, safe="", errors="replace"), quote_plus(secret, errors="replace"))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (raw.hex(), raw.hex().upper())
    for offset in range(3):
        yield from _base64_within(raw, offset)


def _base64_within(raw: bytes, offset: int) -> Iterator[str]:
    """The characters that a longer base64 text holds whatever stands before and after the value."""
    text = base64.b64encode(b"\0" * offset + raw).decode().rstrip("=")
    core = text[(0, 2, 3)[offset] : len(text) - (1 if (offset + len(raw)) % 3 else 0)]
    if len(core) >= SHORTEST:
        yield from (core, core.replace("+", "-").replace("/", "_"))


def _from_url(word: str) -> str:
    return unquote_plus(word) if "%" in word else ""


def _from_base64(run: str) -> str:
    padded = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(padded + "=" * (-len(padded) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
