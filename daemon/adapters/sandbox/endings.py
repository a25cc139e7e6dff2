"""The words for every way in which a call ends without the worker's own answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from dataclasses import replace

from daemon.adapters.sandbox.protocol import TAIL_BYTES, Failed
from daemon.domain.redaction import Redactor

_OUT_OF_MEMORY = (b"bad_alloc", b"MemoryError", b"Cannot allocate memory")
INTERRUPTED = Failed("interrupted", "stopped on request, with all its descendants")


def timed_out(seconds: float) -> Failed:
    """The deadline passed."""
    return Failed("timeout", f"no result within {seconds:g} s; killed with all its descendants")


def died(status: int | None, tail: bytes) -> Failed:
    """The worker ended without a result; `status` is its wait status, None when the zygote took it along."""
    if status is None:
        return Failed("crashed", "the tool sandbox ended in the middle of the call and took the tool along")
    if os.WIFEXITED(status):
        return Failed("crashed", f"the tool ended its process with exit status {os.WEXITSTATUS(status)}{_memory(tail)}")
    number = os.WTERMSIG(status)
    if number == signal.SIGKILL:
        return Failed("crashed", "killed by SIGKILL from outside: most likely the machine is out of memory")
    return Failed("crashed", f"died of {_name(number)}{_memory(tail)}")


def starved(seconds: float, reason: str) -> Failed:
    """No worker could take the call; the tool never began."""
    return Failed("transient", f"no tool worker became ready within {seconds:g} s{f': {reason}' * bool(reason)}")


def text_of(tail: bytes, secrets: Iterable[str]) -> str:
    """The last 4 KB as text, without the call's secrets."""
    text = redacted(tail.decode("utf-8", "replace"), secrets)
    return text.encode()[-TAIL_BYTES:].decode("utf-8", "ignore")


def without_secrets(outcome: Failed, secrets: Iterable[str]) -> Failed:
    """The failure, its words free of the call's secrets."""
    hidden = list(secrets)
    hint = redacted(outcome.hint, hidden) if outcome.hint else outcome.hint
    return replace(outcome, message=redacted(outcome.message, hidden), hint=hint)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text without the call's secrets, however they are written, and without what looks like one."""
    return Redactor(secrets)(text) if text else text


def _memory(tail: bytes) -> str:
    return ": out of memory" if any(word in tail for word in _OUT_OF_MEMORY) else ""


def _name(number: int) -> str:
    try:
        known = signal.Signals(number)
    except ValueError:
        return f"signal {number}"
    return f"{known.name} ({signal.strsignal(number)})"
