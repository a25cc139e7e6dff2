"""The record of a decision: what was seen, asked and answered, redacted, under digests; and what it cost."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

from ...domain.model import Decision
from ...domain.quota import wire
from ...ports import StoreError
from .hearing import Hearing


def recorded(hearing: Hearing, decision: Decision) -> Decision:
    """The decision with everything that is needed to judge it later."""
    return replace(
        decision,
        reason=hearing.redact(decision.reason),
        snapshot=_kept(hearing, hearing.snapshot),
        prompt=_kept(hearing, hearing.prompt),
        answer=_kept(hearing, hearing.answer),
        prompt_version=hearing.version,
        model=hearing.llm.endpoint.model if hearing.version else "",
        tokens_in=hearing.tokens_in,
        tokens_out=hearing.tokens_out,
        tokens_estimated=hearing.estimated,
        cost=_cost(hearing),
        seconds=hearing.seconds,
        rejected=tuple(hearing.rejected),
    )


def _kept(hearing: Hearing, text: str) -> str:
    """A disk that is full must not stop the run here; the commit that follows will say so."""
    if text:
        with suppress(StoreError, OSError):
            return hearing.desk.artifacts.note(hearing.redact(text).encode(errors="replace"))
    return ""


def _cost(hearing: Hearing) -> str:
    """Empty where no prices are configured: unknown is not nothing."""
    if hearing.llm.prices is None:
        return "" if hearing.tokens_in or hearing.tokens_out else "0"
    return str((Decimal(hearing.micros) / 1_000_000).normalize() + Decimal(0)) if hearing.micros else "0"


def prompt_text(messages: list[dict[str, str]], schema: object) -> str:
    """A prompt as it is kept: the messages and the schema that went with them."""
    return wire({"messages": messages, "schema": schema})
