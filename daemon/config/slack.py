"""The `slack` section: how Slack is reached, and who may answer there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from .sections import Name, Section

API = "https://slack.com/api/"


class SlackSection(Section):
    token: Name | None = None
    """Name of the secret with the bot token (xoxb-); without it nothing goes to Slack."""
    app_token: Name | None = None
    """Name of the secret with the app token (xapp-): answers then come by Socket Mode."""
    signing_secret: Name | None = None
    """Name of the secret that answers by HTTP are signed with."""
    people: list[Annotated[str, Field(pattern=r"^[UW][A-Z0-9]{7,20}$")]] = Field(default_factory=list)
    """Slack ids of the users who may answer."""
    groups: list[Annotated[str, Field(pattern=r"^S[A-Z0-9]{7,20}$")]] = Field(default_factory=list)
    """Slack ids of the user groups whose members may answer."""
    api: Annotated[str, Field(pattern=r"^https?://[^\s<>|]+/$")] = API
    """Address of Slack's Web API; another one for a stand-in."""


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


def slack(section: SlackSection) -> Slack:
    return Slack(
        section.token or "",
        section.app_token or "",
        section.signing_secret or "",
        frozenset(section.people),
        tuple(section.groups),
        section.api,
    )


def secrets_named() -> Iterator[tuple[str, str]]:
    """Where in the settings a secret is named."""
    for key in ("token", "app_token", "signing_secret"):
        yield "slack", key
