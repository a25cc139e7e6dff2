"""One closed list of what can go wrong with an endpoint, over every client version and every server."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, Final


class Fault(StrEnum):
    AUTH = "auth"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    WRONG_MODEL = "wrong_model"
    REFUSED_REQUEST = "refused_request"
    UNREADABLE = "unreadable"


RETRYABLE: Final = frozenset({Fault.RATE_LIMIT, Fault.SERVER, Fault.CONNECTION})
HOPELESS: Final = frozenset({Fault.AUTH, Fault.QUOTA, Fault.WRONG_MODEL})
"""A person has to act before it can get better."""
BILLED: Final = frozenset({Fault.TIMEOUT, Fault.CONNECTION, Fault.UNREADABLE})
"""The request may have been worked on, so what was reserved for it counts as spent."""

_BY_STATUS: Final[Mapping[int, Fault]] = {
    401: Fault.AUTH,
    402: Fault.QUOTA,
    403: Fault.AUTH,
    404: Fault.WRONG_MODEL,
    408: Fault.SERVER,
    409: Fault.SERVER,
    429: Fault.RATE_LIMIT,
}
_QUOTA: Final = ("insufficient_quota", "billing_hard_limit_reached", "quota_exceeded")


class Trouble(Exception):
    """No answer came. `retry_after` is in seconds, as the server asked for; `param` is what it would not take."""

    def __init__(self, fault: Fault, message: str, retry_after: float | None = None, param: str = "") -> None:
        super().__init__(f"{fault}: {' '.join(message.split())[:300]}")
        self.fault = fault
        self.retry_after = retry_after
        self.param = param


def by_status(status: int, body: Any, headers: Mapping[str, str]) -> Trouble:
    """What an HTTP status other than 2xx means. `body` is the decoded error, or text."""
    code, message, param = _said(body)
    fault = _BY_STATUS.get(status, Fault.SERVER if status >= 500 else Fault.REFUSED_REQUEST)
    if fault is Fault.RATE_LIMIT and (code in _QUOTA or "exceeded your current quota" in message.lower()):
        fault = Fault.QUOTA
    return Trouble(fault, f"HTTP {status}: {message or code or 'no reason given'}", wait_of(headers), param)


def _said(body: Any) -> tuple[str, str, str]:
    """Code, message and offending parameter; servers wrap them in `error`, or do not."""
    if isinstance(body, dict):
        error = body.get("error", body)
        if isinstance(error, dict):
            code = error.get("code") or error.get("type") or ""
            return str(code), str(error.get("message") or ""), str(error.get("param") or "")
        return "", str(error), ""
    return "", str(body or "")[:200], ""


def wait_of(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds: a number, or a date."""
    written = headers.get("retry-after")
    if not written:
        return None
    try:
        seconds = float(written)
    except ValueError:
        return _until(written)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(written: str) -> float | None:
    try:
        at = parsedate_to_datetime(written)
    except ValueError:
        return None
    return max(0.0, (at - datetime.now(UTC)).total_seconds()) if at.tzinfo else None
