"""The `slack` section: how Slack is reached, and who may answer there."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from .secrets import SecretSource
from .sections import Name, Section

API = "https://slack.com/api/"
TOKEN, ADDRESS = "slack_token", "slack_api"
"""Names by which tools ask for them."""
LOOPBACK: Final = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")


def _private(address: str) -> str:
    where = urlsplit(address)
    if where.scheme == "http" and not LOOPBACK.fullmatch(where.hostname or ""):
        raise ValueError("the token would be sent for all to read: https, or a stand-in on this machine")
    return address


class SlackSection(Section):
    token: Name | None = None
    """Name of the secret with the bot token (xoxb-), else `slack_token`; without one nothing goes to Slack."""
    app_token: Name | None = None
    """Name of the secret with the app token (xapp-): answers then come by Socket Mode."""
    signing_secret: Name | None = None
    """Name of the secret that answers by HTTP are signed with."""
    people: list[Annotated[str, Field(pattern=r"^[UW][A-Z0-9]{7,20}$")]] = Field(default_factory=list)
    """Slack ids of the users who may answer."""
    groups: list[Annotated[str, Field(pattern=r"^S[A-Z0-9]{7,20}$")]] = Field(default_factory=list)
    """Slack ids of the user groups whose members may answer."""
    api: Annotated[str, Field(pattern=r"^https?://[^\s<>|]+/$"), AfterValidator(_private)] = API
    """Address of Slack's Web API; another one, on this machine or by https, for a stand-in."""


@dataclass(frozen=True, slots=True)
class Slack:
    """Each token is the name of a secret; empty where it is not configured."""

    token: str
    app_token: str
    signing_secret: str
    people: frozenset[str]
    groups: tuple[str, ...]
    api: str

    @property
    def answers(self) -> bool:
        """Whether anybody could answer there."""
        return bool((self.app_token or self.signing_secret) and (self.people or self.groups))


def slack(section: SlackSection, secrets: Container[str]) -> Slack:
    return Slack(
        section.token or (TOKEN if TOKEN in secrets else ""),
        section.app_token or "",
        section.signing_secret or "",
        frozenset(section.people),
        tuple(section.groups),
        section.api,
    )


def lent(section: SlackSection, named: Mapping[str, SecretSource]) -> dict[str, SecretSource]:
    """What tools are lent under their own names for it: the token, and where Slack is when it is a stand-in."""
    token = {TOKEN: named[section.token]} if section.token and section.token in named else {}
    return token | ({ADDRESS: SecretSource("plain", section.api)} if section.api != API else {})


def secrets_named() -> Iterator[tuple[str, str]]:
    """Where in the settings a secret is named."""
    for key in ("token", "app_token", "signing_secret"):
        yield "slack", key
