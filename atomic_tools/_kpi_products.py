"""Product names as people read them: two spellings that look the same are one product."""

from __future__ import annotations

import re
import unicodedata

_SPACE = re.compile(r"\s+")
# Byte order mark, zero-width space, word joiner, soft hyphen. Not the zero-width joiner: emoji need it.
_INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad"))


def product_name(raw: str) -> str:
    """Canonical composition, plain single spaces (a no-break space is one), nothing invisible, trimmed."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", raw).translate(_INVISIBLE)).strip()
