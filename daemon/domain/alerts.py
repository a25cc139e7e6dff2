"""What went wrong, folded: one alert for each thing that is wrong, however often, for however many jobs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from .digests import digest
from .model import Escalation
from .severity import Severity

MOST_JOBS = 200
"""Jobs that one incident names; more are only counted."""


class Topic(StrEnum):
    """What an alert is about."""

    FAILED = "failed"
    DEGRADED = "degraded"
    OVERDUE = "overdue"
    BUDGET = "budget"
    STREAK = "failing_in_a_row"
    ASKED = "asked"
    STORE = "store_trouble"
    RELOAD = "bad_reload"
    SLACK = "slack_trouble"
    DAEMON = "daemon"
    DIGEST = "digest"


CURED_BY_A_RUN = frozenset({Topic.FAILED, Topic.DEGRADED, Topic.OVERDUE, Topic.BUDGET})
"""What the job's next good run makes well again."""


class State(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Subject:
    """The job that an alert concerns; all empty where it concerns the daemon."""

    job: str = ""
    owner: str = ""
    runbook: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that went wrong, once. `source` names it among all that ever did, so that it is never counted twice."""

    source: str
    topic: Topic
    at: datetime
    text: str
    cause: str
    next: str
    """What the daemon does now, or what a person is to do."""
    severity: Severity = Severity.WARNING
    subject: Subject = Subject()
    data_date: str = ""
    step: str = ""
    run: str = ""
    matter: str = ""
    """What of the daemon it is about, where one topic has many."""
    upstream: str = ""
    """What is the same where many jobs fail for one cause outside; empty where nothing points there."""
    question: Escalation | None = None
    also: tuple[str, ...] = ()
    """What else is told with it, and so never again; named as `source` is."""

    @property
    def said_once(self) -> bool:
        """Nothing is open about it once it is told: a digest, or many jobs that are late together."""
        return self.topic is Topic.DIGEST or (self.topic is Topic.OVERDUE and not self.subject.job)

    @property
    def fingerprint(self) -> str:
        """The same for the same trouble. Every question is one of its own."""
        which = [self.question.id] if self.question else [self.subject.job, self.step, self.matter]
        if self.said_once:
            which = [self.source]
        return digest([self.topic.value, *which])[:16]


@dataclass(frozen=True, slots=True)
class Sending:
    """A message that may be on its way: its effect key, and until when it may still be sent."""

    key: str
    until: datetime
    asks: int = 0
    """How often Slack could not tell whether it has it."""


@dataclass(frozen=True, slots=True)
class Told:
    """What people have been told of an alert. `at` is the last time; the rest says where the first message lies."""

    posts: int = 0
    count: int = 0
    closed: bool = False
    at: datetime | None = None
    reminded: bool = False
    channel: str = ""
    stamp: str = ""
    """Slack's own name of the first message in its channel."""
    link: str = ""
    by: str = ""
    """The way that the last message went: slack, second, or outbox."""
    tries: int = 0
    """Failed tries of the message that is owed."""
    again_at: datetime | None = None
    sending: Sending | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A job in an alert, by the fingerprint that its own trouble has."""

    fingerprint: str
    job: str
    run: str = ""


@dataclass(frozen=True, slots=True)
class Alert:
    """`trouble` is the latest; `members` are the jobs that still have it, more than one in an incident."""

    id: str
    opened_at: datetime
    trouble: Trouble
    count: int = 1
    members: tuple[Member, ...] = ()
    ever: int = 1
    """Jobs that ever had it."""
    state: State = State.OPEN
    closed_at: datetime | None = None
    outcome: str = ""
    """How it came to be closed."""
    told: Told = Told()

    @property
    def open(self) -> bool:
        return self.state is State.OPEN

    @property
    def incident(self) -> bool:
        return self.ever > 1

    @property
    def asks(self) -> bool:
        """Whether people are to decide something about it, so that buttons stand under its first message."""
        return self.trouble.question is not None or self.trouble.topic is Topic.STREAK

    @property
    def finished(self) -> bool:
        """Nothing more will ever be told of it."""
        return not self.open and (self.told.posts == 0 or self.told.closed) and self.told.sending is None


def raised(alerts: Sequence[Alert], trouble: Trouble, window: timedelta) -> Alert:
    """The alert that this belongs to: one for the same trouble, else an incident of the same cause, else a new one."""
    for alert in alerts:
        if alert.open and any(member.fingerprint == trouble.fingerprint for member in alert.members):
            return _again(alert, trouble)
    for alert in alerts:
        if _same_incident(alert, trouble, window):
            return _joined(alert, trouble)
    first = digest([trouble.source, trouble.fingerprint])[:16]
    return Alert(first, trouble.at, trouble, members=(_member(trouble),))


def _member(trouble: Trouble) -> Member:
    return Member(trouble.fingerprint, trouble.subject.job, trouble.run)


def _again(alert: Alert, trouble: Trouble) -> Alert:
    rest = tuple(member for member in alert.members if member.fingerprint != trouble.fingerprint)
    return replace(alert, trouble=trouble, count=alert.count + 1, members=(*rest, _member(trouble)))


def _same_incident(alert: Alert, trouble: Trouble, window: timedelta) -> bool:
    if not alert.open or not trouble.upstream or alert.trouble.topic is not trouble.topic:
        return False
    return alert.trouble.upstream == trouble.upstream and abs(trouble.at - alert.trouble.at) <= window


def _joined(alert: Alert, trouble: Trouble) -> Alert:
    grown = replace(alert, trouble=trouble, count=alert.count + 1, ever=alert.ever + 1)
    if len(alert.members) < MOST_JOBS:
        grown = replace(grown, members=(*alert.members, _member(trouble)))
    severest = max(alert.trouble.severity, trouble.severity, key=list(Severity).index)
    return replace(grown, trouble=replace(trouble, severity=severest))


def closed(alert: Alert, at: datetime, outcome: str) -> Alert:
    return replace(alert, state=State.CLOSED, closed_at=at, outcome=outcome, members=())


def cured(alerts: Iterable[Alert], job: str, at: datetime, outcome: str) -> list[Alert]:
    """The alerts that a good run of the job changes; one closes when the last job in it is well."""
    found = []
    for alert in alerts:
        concerned = alert.open and alert.trouble.topic in CURED_BY_A_RUN and alert.trouble.at < at
        left = tuple(member for member in alert.members if member.job != job)
        if concerned and len(left) < len(alert.members):
            found.append(replace(alert, members=left) if left else closed(alert, at, outcome))
    return found
