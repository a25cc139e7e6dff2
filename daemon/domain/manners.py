"""How alerts are told: to whom, how often, and when not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .alerts import Alert, Subject, Topic
from .severity import Severity
from .timing import Blackout

RANK = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Quiet:
    """Local hours in which only what is at least as severe as `least` is told; the rest waits for their end."""

    hours: Blackout
    timezone: str
    least: Severity = Severity.CRITICAL

    def after(self, at: datetime, severity: Severity) -> datetime:
        """The first instant from `at` on at which this may be told."""
        local = at.astimezone(ZoneInfo(self.timezone))
        if RANK[severity] >= RANK[self.least] or not self.hours.covers(local):
            return at
        ends = datetime.combine(local.date(), self.hours.end, local.tzinfo)
        if ends <= local:
            ends = datetime.combine(local.date() + timedelta(days=1), self.hours.end, local.tzinfo)
        return ends.astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Route:
    """Alerts that match everything it names go to `channel`; an empty set names everything."""

    channel: str = ""
    """Where they go; where the alerts of nobody in particular go, if it is empty."""
    second: bool = False
    """They go to the second channel as well."""
    severity: Severity | None = None
    """What matching alerts count as."""
    jobs: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    topics: frozenset[Topic] = frozenset()
    severities: frozenset[Severity] = frozenset()

    def takes(self, topic: Topic, severity: Severity, subject: Subject) -> bool:
        return (
            (not self.jobs or subject.job in self.jobs)
            and (not self.tags or bool(self.tags.intersection(subject.tags)))
            and (not self.topics or topic in self.topics)
            and (not self.severities or severity in self.severities)
        )


@dataclass(frozen=True, slots=True)
class Daily:
    """When the fleet's day is summed up."""

    at: time
    timezone: str
    channel: str = ""

    def last(self, now: datetime) -> datetime:
        """The latest such instant that is not after `now`."""
        local = now.astimezone(ZoneInfo(self.timezone))
        due = datetime.combine(local.date(), self.at, local.tzinfo)
        if due > local:
            due = datetime.combine(local.date() - timedelta(days=1), self.at, local.tzinfo)
        return due.astimezone(UTC)

    def next(self, now: datetime) -> datetime:
        local = self.last(now).astimezone(ZoneInfo(self.timezone))
        return datetime.combine(local.date() + timedelta(days=1), self.at, local.tzinfo).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Manners:
    """`channel` empty: nothing goes to Slack."""

    channel: str = ""
    routes: tuple[Route, ...] = ()
    quiet: Quiet | None = None
    again: timedelta = timedelta(minutes=15)
    """The same trouble met again is not told sooner after the last message."""
    remind: timedelta = timedelta(hours=4)
    """What is still wrong is told again after this long."""
    window: timedelta = timedelta(minutes=10)
    """Jobs that fail for the same cause within it are one incident."""
    page: str = ""
    """Address of the status page, as people reach it."""
    daily: Daily | None = None

    def route(self, alert: Alert) -> Route:
        """The first that matches, else the channel of everybody."""
        trouble = alert.trouble
        if trouble.topic is Topic.DIGEST and self.daily:
            return Route(self.daily.channel or self.channel)
        for route in self.routes:
            if route.takes(trouble.topic, trouble.severity, trouble.subject):
                return route if route.channel else _to(route, self.channel)
        return Route(self.channel)

    def severity(self, alert: Alert) -> Severity:
        return self.route(alert).severity or alert.trouble.severity


def _to(route: Route, channel: str) -> Route:
    return Route(channel, route.second, route.severity)
