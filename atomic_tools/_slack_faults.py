"""What Slack's refusals and silences mean for a message that must arrive once: by status, then pause, then code.

The classes follow Slack's documented codes as of 2026-11-30. No text of an answer and no token is ever repeated.
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

LONGEST_PAUSE = 900.0
"""Seconds that Slack may ask for; what it asks beyond is cut, so that attempts run out within the run's own time."""
HOURS = 3600.0
"""The pause for trouble that Slack mends in hours."""

_CREDENTIALS = frozenset(
    [
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "missing_scope",
        "not_allowed_token_type",
        "no_permission",
        "access_denied",
        "accesslimited",
        "two_factor_setup_required",
        "app_access_restricted",
        "ekm_access_denied",
    ]
)
_DESTINATION = frozenset(
    [
        "channel_not_found",
        "not_in_channel",
        "is_archived",
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel",
        "restricted_action_non_threadable_channel",
        "restricted_action_thread_locked",
        "cannot_reply_to_message",
        "messages_tab_disabled",
    ]
)
_PAYLOAD = frozenset(
    [
        "invalid_blocks",
        "invalid_blocks_format",
        "msg_blocks_too_long",
        "msg_too_long",
        "no_text",
        "markdown_text_conflict",
        "too_many_attachments",
        "attachment_payload_limit_exceeded",
        "invalid_metadata_format",
        "invalid_metadata_schema",
        "metadata_too_large",
        "missing_file_data",
    ]
)
_NOT_SENT = frozenset(["ratelimited", "rate_limited", "message_limit_exceeded"])
_SLOW = frozenset(["team_added_to_org", "org_login_required", "external_channel_migrating"])
_PERHAPS = frozenset(["fatal_error", "internal_error", "service_unavailable", "request_timeout"])
_NEVER_CONNECTED = frozenset({errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})
_CODE = re.compile(r"[a-z_]{3,60}")


class DestinationError(MisconfiguredError):
    """The channel cannot be posted to; another one may."""


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
    code = str(_field(error, "error"))
    return code if _CODE.fullmatch(code) else ""


def never_sent(error: BaseException) -> bool:
    """Whether the failure lies before the first byte: no name, no route, nobody there, no trust."""
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError | ConnectionRefusedError):
        return True
    return isinstance(reason, OSError) and reason.errno in _NEVER_CONNECTED


def _answered(method: str, error: SlackApiError) -> ToolError:
    status, code = int(getattr(error.response, "status_code", 200)), code_of(error)
    headers: Mapping[str, str] = getattr(error.response, "headers", {}) or {}
    if status == 429 or code in _NOT_SENT:
        return TransientError(f"{method}: {code or 'too many requests'}", retry_after=_pause(headers))
    if status >= 500 or not code:
        return UnknownOutcomeError(f"{method}: HTTP {status} without an answer that says what happened")
    return _refused(method, code, error)


def _refused(method: str, code: str, error: SlackApiError) -> ToolError:
    said = f"{method}: {code}"
    if code in _CREDENTIALS:
        return DeniedError(said, hint=_hint(code, error))
    if code in _DESTINATION:
        return DestinationError(said, hint="check the channel's id, and invite the app to it")
    if code in _PAYLOAD:
        return PayloadError(said)
    if code in _SLOW:
        return TransientError(said, retry_after=timedelta(seconds=HOURS))
    if code in _PERHAPS:
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
    asked = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    return timedelta(seconds=min(float(asked), LONGEST_PAUSE)) if asked.isdecimal() else None


def _cause(error: BaseException) -> str:
    reason = error.reason if isinstance(error, URLError) and isinstance(error.reason, BaseException) else error
    return type(reason).__name__
