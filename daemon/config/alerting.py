"""The `alerts` section: to whom what is wrong is told, how often, and when not."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field

from ..domain.alerts import Topic
from ..domain.manners import Daily, Manners, Quiet, Route
from ..domain.severity import Severity
from ..domain.timing import WEEKDAYS, Blackout
from .durations import Duration
from .sections import BlackoutSection, Name, Section, TimeOfDay

_MANNERS = Manners()
Channel = Annotated[str, Field(pattern=r"^(#?[^\s#@<>&,|]+)?$", max_length=81)]
"""A counted repetition of such a class would take megabytes to compile."""
SeverityName = Literal["info", "warning", "critical"]
TopicName = Literal[
    "failed",
    "degraded",
    "overdue",
    "budget",
    "failing_in_a_row",
    "asked",
    "store_trouble",
    "bad_reload",
    "slack_trouble",
    "daemon",
]


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError) as error:
        raise ValueError(f"there is no time zone {name!r}; use an IANA name such as Europe/Berlin") from error
    return name


Zone = Annotated[str, AfterValidator(_zone)]


class QuietSection(BlackoutSection):
    timezone: Zone = "UTC"
    least: SeverityName = "critical"
    """What is at least as severe is told all the same."""


class RouteSection(Section):
    """What matches everything that is named here; an alert takes the first route that matches."""

    jobs: list[str] = Field(default_factory=list)
    tags: list[Name] = Field(default_factory=list)
    topics: list[TopicName] = Field(default_factory=list)
    severities: list[SeverityName] = Field(default_factory=list)
    channel: Channel = ""
    """Where it goes; `alerts.channel` where it is not set."""
    severity: SeverityName | None = None
    """What it counts as from here on."""
    second: bool = False
    """It goes to the second channel as well."""


class DigestSection(Section):
    at: TimeOfDay
    timezone: Zone = "UTC"
    channel: Channel = ""


class AlertsSection(Section):
    channel: Channel = ""
    """Slack channel of all alerts and questions; without it they stay in the outbox and the second channel."""
    second: list[Name] = Field(default_factory=list)
    """Names of secrets that hold Apprise addresses: the channel for when Slack is down or is what is wrong."""
    again: Duration = _MANNERS.again
    """The same trouble met again is not told sooner after the last message."""
    remind: Duration = _MANNERS.remind
    """What is still wrong is told again after this long."""
    incident: Duration = _MANNERS.window
    """Jobs that fail for the same cause within this time of each other are one incident."""
    quiet: QuietSection | None = None
    """Local hours in which the unimportant waits."""
    routes: list[RouteSection] = Field(default_factory=list)
    page: Annotated[str, Field(pattern=r"^(https?://[^\s<>|]+)?$")] = ""
    """Address of the status page as people reach it: runs are linked there."""
    digest: DigestSection | None = None
    """When the day of all jobs is summed up."""


def manners(section: AlertsSection) -> Manners:
    return Manners(
        channel=section.channel,
        routes=tuple(map(_route, section.routes)),
        quiet=_quiet(section.quiet) if section.quiet else None,
        again=_positive(section.again),
        remind=_positive(section.remind),
        window=section.incident,
        page=section.page,
        daily=_daily(section.digest) if section.digest else None,
    )


def _positive(duration: timedelta) -> timedelta:
    return max(duration, timedelta(minutes=1))


def _route(section: RouteSection) -> Route:
    return Route(
        channel=section.channel,
        second=section.second,
        severity=Severity(section.severity) if section.severity else None,
        jobs=frozenset(section.jobs),
        tags=frozenset(section.tags),
        topics=frozenset(map(Topic, section.topics)),
        severities=frozenset(map(Severity, section.severities)),
    )


def _quiet(section: QuietSection) -> Quiet:
    days = frozenset(map(WEEKDAYS.index, section.days))
    hours = Blackout(time.fromisoformat(section.from_), time.fromisoformat(section.to), days)
    return Quiet(hours, section.timezone, Severity(section.least))


def _daily(section: DigestSection) -> Daily:
    return Daily(time.fromisoformat(section.at), section.timezone, section.channel)
