"""What each of Slack's answers means for a message that must arrive once."""

from __future__ import annotations

import errno
import socket
from http.client import RemoteDisconnected
from urllib.error import URLError

import pytest
from slack_sdk.errors import SlackApiError

from atomic_tools import (
    DeniedError,
    InvalidInputError,
    MisconfiguredError,
    ToolError,
    TransientError,
    UnknownOutcomeError,
)
from atomic_tools._slack_faults import DestinationError, PayloadError, fault_of

TOKEN = "xoxb-0000-test-only"


class Answer(dict[str, object]):
    """As the client hands it over."""

    def __init__(self, status: int, fields: dict[str, object], headers: dict[str, str] | None = None) -> None:
        super().__init__(fields)
        self.status_code = status
        self.headers = headers or {}


def api_error(message: str, answer: object) -> SlackApiError:
    return SlackApiError(message, answer)  # type: ignore[no-untyped-call]


def refused(code: str, status: int = 200, **headers: str) -> ToolError:
    return fault_of(
        "chat.postMessage", api_error(f"it said {TOKEN}", Answer(status, {"ok": False, "error": code}, headers))
    )


CLASSES: dict[type[ToolError], tuple[str, ...]] = {
    DeniedError: (
        "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope",
        "not_allowed_token_type", "no_permission", "access_denied", "accesslimited", "two_factor_setup_required",
        "app_access_restricted", "ekm_access_denied",
    ),
    DestinationError: (
        "channel_not_found", "not_in_channel", "is_archived", "restricted_action", "cannot_reply_to_message",
        "restricted_action_read_only_channel", "restricted_action_thread_locked", "messages_tab_disabled",
    ),
    PayloadError: (
        "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text",
        "markdown_text_conflict", "too_many_attachments", "attachment_payload_limit_exceeded",
        "invalid_metadata_format", "invalid_metadata_schema", "metadata_too_large", "missing_file_data",
    ),
    TransientError: (
        "ratelimited", "rate_limited", "message_limit_exceeded", "team_added_to_org", "org_login_required",
    ),
    UnknownOutcomeError: ("fatal_error", "internal_error", "service_unavailable", "request_timeout"),
    MisconfiguredError: ("message_not_found", "something_new"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "kind"), [(code, kind) for kind, codes in CLASSES.items() for code in codes], ids=lambda value: str(value)
)
def test_every_code_has_its_class(code: str, kind: type[ToolError]) -> None:
    fault = refused(code)
    assert type(fault) is kind
    assert code in fault.message
    assert TOKEN not in fault.message


def test_a_channel_or_a_payload_that_nobody_mends_is_a_wrong_setting_or_input() -> None:
    assert issubclass(DestinationError, MisconfiguredError)
    assert issubclass(PayloadError, InvalidInputError)


def test_the_status_comes_before_the_code() -> None:
    assert type(refused("invalid_blocks", 429)) is TransientError
    assert type(refused("invalid_blocks", 503)) is UnknownOutcomeError


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("7", 7.0), ("7200", 900.0), ("abc", None), ("-3", None), ("٣", 3.0)],
    ids=lambda v: f"CB-047 {v}",
)
def test_a_pause_is_obeyed_bounded_and_never_made_up(asked: str, seconds: float | None) -> None:
    after = refused("", 429, **{"retry-after": asked}).retry_after
    assert (after and after.total_seconds()) == seconds


@pytest.mark.parametrize(
    "error",
    [
        URLError(socket.gaierror(-2, "no such name")),
        URLError(ConnectionRefusedError(errno.ECONNREFUSED, "refused")),
        URLError(OSError(errno.ENETUNREACH, "no route")),
    ],
    ids=["no name", "refused", "no route"],
)
def test_what_never_connected_was_not_sent(error: Exception) -> None:
    fault = fault_of("chat.postMessage", error)
    assert type(fault) is TransientError
    assert "not sent" in fault.message


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError("timed out"),
        URLError(TimeoutError("timed out")),
        URLError(BrokenPipeError(errno.EPIPE, "pipe")),
        RemoteDisconnected("closed"),
        ConnectionResetError(errno.ECONNRESET, "reset"),
        api_error("non-JSON", "<html>"),
        api_error("non-JSON", Answer(200, {"error": "Received a response in a non-JSON format: <html>"})),
    ],
    ids=["timeout", "timeout on the way", "pipe", "closed", "reset", "HTML", "no answer"],
)
def test_what_may_have_been_sent_is_asked_about(error: Exception) -> None:
    assert type(fault_of("chat.postMessage", error)) is UnknownOutcomeError


def test_a_missing_scope_is_named() -> None:
    answer = Answer(200, {"ok": False, "error": "missing_scope", "needed": "channels:history"})
    assert "give the app the scope channels:history" in str(fault_of("x", api_error("", answer)).hint)
