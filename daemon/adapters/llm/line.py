"""The line to one endpoint, shared by all jobs that use it: connections, breaker, and what it understands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from ...domain.llm import Llm, Mode
from ...domain.model import Json
from .breaker import Breaker
from .client import Client, OpenAiClient, Secret
from .dialect import Dialect
from .probe import Left, probe
from .reply import Reply
from .transport import Transport
from .trouble import RETRYABLE, Trouble

RETRIES: Final = 2
"""Of one question, within the decision's deadline."""
FIRST_WAIT: Final = 0.25

Probed = Callable[[Reply], None]
"""Hears every answer to a question of the probe: it is paid for as well."""


def ignored(_: Reply) -> None:
    """Whoever evaluates prompts by hand has no budget."""


class Line:
    """Thread safe."""

    def __init__(
        self, llm: Llm, open_client: Callable[[], Client], boot: Callable[[], float], probed: Probed = ignored
    ) -> None:
        self.breaker = Breaker(boot)
        self._llm = llm
        self._probed = probed
        self._transport = Transport(open_client)
        self._lock = threading.Lock()
        self._dialect: Dialect | None = None

    @classmethod
    def to(cls, llm: Llm, secret: Secret, boot: Callable[[], float], probed: Probed = ignored) -> Line:
        return cls(llm, lambda: OpenAiClient(llm.endpoint, secret), boot, probed)

    def dialect(self, left: Left) -> Dialect:
        """Probed once, by whoever asks first; who cannot wait for that asks in the plainest way. Raises Trouble."""
        if self._dialect is None and self._lock.acquire(timeout=max(0.0, left())):
            try:
                self._probe(left)
            finally:
                self._lock.release()
        return self._dialect or Dialect(Mode.TEXT)

    def _probe(self, left: Left) -> None:
        if self._dialect is None:
            self._dialect = probe(self._llm, lambda body, _: self._ask_probe(body, left), left)

    def _ask_probe(self, body: Json, left: Left) -> Reply:
        reply = self.post(body, left)
        self._probed(reply)
        return reply

    def forget(self) -> None:
        """Probe anew before the next question: the server may have become another one."""
        self._dialect = None

    def post(self, body: Json, left: Left, on_trouble: Callable[[Trouble], None] = lambda _: None) -> Reply:
        """Retried where that may help and there is time; `on_trouble` hears of each failure. Raises Trouble."""
        for tries in range(RETRIES + 1):
            try:
                return self._transport.post(body, left())
            except Trouble as trouble:
                on_trouble(trouble)
                wait = FIRST_WAIT * 2**tries if trouble.retry_after is None else trouble.retry_after
                if tries == RETRIES or trouble.fault not in RETRYABLE or wait >= left():
                    raise
                time.sleep(wait)
        raise AssertionError("unreachable")  # the last try returns or raises

    def close(self) -> None:
        self._transport.close()
