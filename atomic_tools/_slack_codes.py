"""Slack's own words for its refusals, by what they mean, and how long it asks to be left alone.

The classes follow Slack's documented codes as of 2026-11-30. The daemon reads them here too: there is one list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

CREDENTIALS = frozenset(
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
DESTINATION = frozenset(
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
PAYLOAD = frozenset(
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
THREAD = frozenset(["thread_not_found"])
NOT_SENT = frozenset(["ratelimited", "rate_limited", "message_limit_exceeded"])
SLOW = frozenset(["team_added_to_org", "org_login_required", "external_channel_migrating"])
PERHAPS = frozenset(["fatal_error", "internal_error", "service_unavailable", "request_timeout"])
LONGEST_PAUSE = 900.0
"""Seconds that Slack may ask for; what it asks beyond is cut, so that attempts run out within the run's own time."""
_CODE = re.compile(r"[a-z_]{3,60}")


def known_shape(code: str) -> str:
    """The code, or nothing where it is none: whatever it is may then be anything, and is never repeated."""
    return code if _CODE.fullmatch(code) else ""


def pause(headers: Mapping[str, str]) -> float | None:
    """Retry-After in seconds, bounded; None where Slack says nothing that can be read."""
    asked = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    return min(float(asked), LONGEST_PAUSE) if asked.isdecimal() else None
