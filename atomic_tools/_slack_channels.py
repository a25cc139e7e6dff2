"""A channel's id from whatever it is called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from atomic_tools._contract import DeniedError
from atomic_tools._slack_client import Slack
from atomic_tools._slack_faults import DestinationError

_ID = re.compile(r"[CGD][A-Z0-9]{8,}")


class Channels:
    """Names are looked up once for each call of the tool."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack
        self._ids: Mapping[str, str] | None = None

    def id_of(self, name: str) -> str:
        """Raises DestinationError for a name that the app cannot see, and what reading raises."""
        if _ID.fullmatch(name):
            return name
        if self._ids is None:
            self._ids = self._listed()
        found = self._ids.get(name.removeprefix("#"))
        if found is None:
            hint = "give the channel's id, or invite the app: it does not see private channels that it is not in"
            raise DestinationError(f"there is no channel {name}", hint=hint)
        return found

    def _listed(self) -> Mapping[str, str]:
        try:
            return dict(self._names("public_channel,private_channel"))
        except DeniedError:  # without groups:read the public ones can be seen alone
            return dict(self._names("public_channel"))

    def _names(self, types: str) -> Iterator[tuple[str, str]]:
        for page in self._slack.pages("conversations.list", {"types": types, "exclude_archived": False}):
            for channel in page["channels"]:
                yield channel["name"], channel["id"]
