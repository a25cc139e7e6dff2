"""What a web server's answer, or its silence, means for something that must arrive once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx

from atomic_tools._contract import (
    DeniedError,
    InvalidInputError,
    MisconfiguredError,
    ToolError,
    TransientError,
    UnknownOutcomeError,
)

_SHOWN = 200
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


def fault_of(answer: httpx.Response) -> ToolError | None:
    """None for a delivery. Only what the server certainly did not take may be tried again as it is."""
    code = answer.status_code
    if 200 <= code < 300:
        return None
    said = f"{answer.request.url.host} answered {code} {answer.reason_phrase}: {answer.text[:_SHOWN]}".strip(": ")
    if code in {429, 503}:
        return TransientError(said, retry_after=_patience(answer))
    if code in {401, 403, 407}:
        return DeniedError(said, hint="check the token and what it may do")
    if code < 400 or code in {404, 405, 410}:
        return MisconfiguredError(said, hint="check the URL; redirects are not followed")
    if code == 409 or code >= 500:
        return UnknownOutcomeError(said)
    return InvalidInputError(said)


def fault_in_transit(error: httpx.HTTPError | httpx.InvalidURL) -> ToolError:
    """A request that never left may be repeated; one that may have arrived must be asked about."""
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return MisconfiguredError(said, hint="write the URL as https://host/path")
    if isinstance(error, _NOT_SENT):
        return TransientError(said)
    return UnknownOutcomeError(said)


def _patience(answer: httpx.Response) -> timedelta | None:
    """Retry-After: seconds, or a date."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isdigit():
        return timedelta(seconds=int(asked))
    try:
        until = parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max(timedelta(0), until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC))
