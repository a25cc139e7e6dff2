"""What Slack's refusals and silences mean for a message that must arrive once: by status, then pause, then code.

No text of an answer and no token is ever repeated.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Mapping
from datetime import timedelta
from urllib.error import URLError

from slack_sdk.errors import SlackApiError

from atomic_tools._contract import (
    DeniedError,
    InvalidInputError,
    MisconfiguredError,
    ToolError,
    TransientError,
    UnknownOutcomeError,
)
from atomic_tools._slack_codes import (
    CREDENTIALS,
    DESTINATION,
    NOT_SENT,
    PAYLOAD,
    PERHAPS,
    SLOW,
    THREAD,
    known_shape,
    pause,
)

HOURS = 3600.0
"""The pause for trouble that Slack mends in hours."""

_NEVER_CONNECTED = frozenset({errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})


class DestinationError(MisconfiguredError):
    """The channel cannot be posted to; another one may."""


class ThreadGoneError(DestinationError):
    """The message that this one was to go below is not there any more."""


class PayloadError(InvalidInputError):
    """Slack refused what the message is made of, and certainly did not post it: something simpler may pass."""


def fault_of(method: str, error: Exception) -> ToolError:
    """Only what certainly did not arrive may be tried again as it is."""
    if isinstance(error, ToolError):
        return error
    if isinstance(error, SlackApiError):
        return _answered(method, error)
    if never_sent(error):
        return TransientError(f"{method}: not sent, {_cause(error)}")
    return UnknownOutcomeError(f"{method}: {_cause(error)} after it may have been sent")


def code_of(error: Exception) -> str:
    """Slack's own word for a refusal; empty for an answer that was none."""
    if not isinstance(error, SlackApiError) or not isinstance(_field(error, "ok"), bool):
        return ""
    return known_shape(str(_field(error, "error")))


def never_sent(error: BaseException) -> bool:
    """Whether the failure lies before the first byte: no name, no route, nobody there, no trust."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError | ConnectionRefusedError):
        return True
    return isinstance(reason, OSError) and reason.errno in _NEVER_CONNECTED


def _answered(method: str, error: SlackApiError) -> ToolError:
    status, code = int(getattr(error.response, "status_code", 200)), code_of(error)
    headers: Mapping[str, str] = getattr(error.response, "headers", {}) or {}
    if status == 429 or code in NOT_SENT:
        return TransientError(f"{method}: {code or 'too many requests'}", retry_after=_pause(headers))
    if status >= 500 or not code:
        return UnknownOutcomeError(f"{method}: HTTP {status} without an answer that says what happened")
    return _refused(method, code, error)


def _refused(method: str, code: str, error: SlackApiError) -> ToolError:
    said = f"{method}: {code}"
    if code in CREDENTIALS:
        return DeniedError(said, hint=_hint(code, error))
    if code in THREAD:
        return ThreadGoneError(said, hint="the message was deleted, or is in another channel")
    if code in DESTINATION:
        return DestinationError(said, hint="check the channel's id, and invite the app to it")
    if code in PAYLOAD:
        return PayloadError(said)
    if code in SLOW:
        return TransientError(said, retry_after=timedelta(seconds=HOURS))
    if code in PERHAPS:
        return UnknownOutcomeError(said)
    return MisconfiguredError(said)


def _field(error: SlackApiError, name: str) -> object:
    """Of an answer that may not have been JSON."""
    return error.response.get(name) if hasattr(error.response, "get") else None


def _hint(code: str, error: SlackApiError) -> str:
    needed = str(_field(error, "needed") or "")
    if code == "missing_scope" and re.fullmatch(r"[a-z:.,_]{3,200}", needed):
        return f"give the app the scope {needed}, and install it again"
    return "check the bot token, then run 'clockwright slack check'"


def _pause(headers: Mapping[str, str]) -> timedelta | None:
    """Retry-After in seconds, bounded; None where Slack says nothing that can be read."""
    seconds = pause(headers)
    return None if seconds is None else timedelta(seconds=seconds)


def _cause(error: BaseException) -> str:
    reason = error.reason if isinstance(error, URLError) and isinstance(error.reason, BaseException) else error
    return type(reason).__name__
