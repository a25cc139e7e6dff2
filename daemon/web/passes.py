"""Who may look and who may act: two tokens, and the sessions and form keys that are signed with them."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Final

from itsdangerous import BadData, URLSafeTimedSerializer

SESSION_SECONDS: Final = 12 * 3600
LONGEST_NAME: Final = 60


class Role(StrEnum):
    READER = "reader"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Empty: nobody gets in that way."""

    reader: str
    operator: str


@dataclass(frozen=True, slots=True)
class Pass:
    """What a request may do, and in whose name. `session` is empty where the request itself brings the token."""

    role: Role
    name: str
    session: str = ""

    @property
    def acts(self) -> bool:
        return self.role is Role.OPERATOR


class Passes:
    """`tokens` is asked every time, so that a token that was changed ends every session opened with the old one."""

    def __init__(self, tokens: Callable[[], Tokens]) -> None:
        self._tokens = tokens

    def by_token(self, token: str, name: str = "") -> Pass | None:
        """In constant time, whichever token it is compared with."""
        tokens, found = self._tokens(), None
        for role, wanted in ((Role.READER, tokens.reader), (Role.OPERATOR, tokens.operator)):
            if hmac.compare_digest(wanted.encode(), token.encode(errors="replace")) and wanted:
                found = Pass(role, " ".join(name.split())[:LONGEST_NAME] or role.value)
        return found

    def open(self, holder: Pass) -> str:
        """A session, for a cookie."""
        return self._signer("session").dumps([holder.role.value, holder.name])

    def by_session(self, session: str) -> Pass | None:
        try:
            role, name = self._signer("session").loads(session, max_age=SESSION_SECONDS)
        except BadData:
            return None
        return Pass(Role(role), name, session)

    def form_key(self, seed: str) -> str:
        """What a form must bring back to prove that it came from a page of this session."""
        return hmac.new(self._key(), b"form\0" + seed.encode(), sha256).hexdigest()

    def is_form_key(self, seed: str, key: str) -> bool:
        return bool(seed) and hmac.compare_digest(self.form_key(seed).encode(), key.encode(errors="replace"))

    def _signer(self, purpose: str) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self._key(), salt=purpose, signer_kwargs={"digest_method": sha256})

    def _key(self) -> bytes:
        tokens = self._tokens()
        return sha256(f"{len(tokens.reader)}:{tokens.reader}{tokens.operator}".encode()).digest()
