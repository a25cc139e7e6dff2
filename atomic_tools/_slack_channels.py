"""A channel's id from whatever it is called."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from atomic_tools._contract import DeniedError
from atomic_tools._slack_client import Slack
from atomic_tools._slack_faults import DestinationError

FOLDER = "CLOCKWRIGHT_CACHE"
"""Names the folder in which the daemon lets a tool keep what it can do without; nothing is kept where it is not set."""
REMEMBERED = 3600.0
"""Seconds for which a list of names is believed. Slack gives it twenty times a minute at most, in pages."""
_ID = re.compile(r"[CGD][A-Z0-9]{8,}")


class Channels:
    """Names are looked up once an hour, and again where one is not known or is refused."""

    def __init__(self, slack: Slack) -> None:
        self._slack = slack
        self._kept = Kept.of(slack)
        self._ids: Mapping[str, str] | None = None
        self._fresh = False

    def id_of(self, name: str) -> str:
        """Raises DestinationError for a name that the app cannot see, and what reading raises."""
        if _ID.fullmatch(name):
            return name
        found = self._known().get(name.removeprefix("#")) or self._looked_up().get(name.removeprefix("#"))
        if found is None:
            hint = "give the channel's id, or invite the app: it does not see private channels that it is not in"
            raise DestinationError(f"there is no channel {name}", hint=hint)
        return found

    def doubted(self, name: str) -> bool:
        """Slack refuses the id that was remembered: whether there is another one now."""
        if self._fresh or _ID.fullmatch(name):
            return False
        before = self.id_of(name)
        return self._looked_up().get(name.removeprefix("#"), before) != before

    def _known(self) -> Mapping[str, str]:
        if self._ids is None:
            self._ids = self._kept.read() if self._kept else {}
        return self._ids

    def _looked_up(self) -> Mapping[str, str]:
        if not self._fresh:
            self._ids, self._fresh = self._listed(), True
            if self._kept:
                self._kept.write(self._ids)
        return self._known()

    def _listed(self) -> Mapping[str, str]:
        try:
            return dict(self._names("public_channel,private_channel"))
        except DeniedError:  # without groups:read the public ones can be seen alone
            return dict(self._names("public_channel"))

    def _names(self, types: str) -> Iterator[tuple[str, str]]:
        for page in self._slack.pages("conversations.list", {"types": types, "exclude_archived": False}):
            for channel in page["channels"]:
                yield channel["name"], channel["id"]


@dataclass(frozen=True, slots=True)
class Kept:
    """The list of one workspace on the disk. Whatever is wrong with it, it is made anew."""

    path: Path

    @classmethod
    def of(cls, slack: Slack) -> Kept | None:
        folder = os.environ.get(FOLDER)
        name = hashlib.sha256(f"{slack.api} {slack.token}".encode()).hexdigest()[:16]
        return cls(Path(folder) / f"slack-channels-{name}.json") if folder else None

    def read(self) -> Mapping[str, str]:
        try:
            if time.time() - self.path.stat().st_mtime < REMEMBERED:
                found = json.loads(self.path.read_text())
                return found if isinstance(found, dict) else {}
        except (OSError, ValueError):
            pass
        return {}

    def write(self, ids: Mapping[str, str]) -> None:
        beside = self.path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            beside.touch(mode=0o600)
            beside.write_text(json.dumps(ids))
            beside.replace(self.path)
