"""What is to be told of an alert next, and when: a pure function of what is stored and of the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from .alerts import Alert, Sending, Topic, closed
from .manners import Manners
from .severity import Severity

FIRST_WAIT = timedelta(seconds=30)
LONGEST_WAIT = timedelta(minutes=15)
SLACK, SECOND, OUTBOX = "slack", "second", "outbox"
"""The ways that a message can go."""
SETTLES = timedelta(seconds=10)
"""How long after its deadline a message may still turn up."""


class What(StrEnum):
    OPENED = "opened"
    AGAIN = "again"
    REMINDER = "reminder"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Telling:
    """One message that is owed, from `at` on."""

    what: What
    at: datetime


def owed(alert: Alert, manners: Manners) -> Telling | None:
    """The next message about this alert; None where nothing is left to say."""
    told = alert.told
    if told.sending is not None:
        return Telling(_what(alert), told.sending.until + SETTLES)
    coming = min(_coming(alert, manners), key=lambda telling: telling.at, default=None)
    if coming is None:
        return None
    at = manners.quiet.after(coming.at, manners.severity(alert)) if manners.quiet else coming.at
    return replace(coming, at=max(at, told.again_at) if told.again_at else at)


def _what(alert: Alert) -> What:
    if alert.told.posts == 0:
        return What.OPENED
    return What.AGAIN if alert.open else What.CLOSED


def _coming(alert: Alert, manners: Manners) -> Iterator[Telling]:
    told = alert.told
    if told.at is None:
        if alert.open:
            yield Telling(What.OPENED, alert.opened_at)
    elif alert.open:
        yield from _while_open(alert, told.at, manners)
    elif not told.closed:
        yield Telling(What.CLOSED, alert.closed_at or told.at)


def _while_open(alert: Alert, last: datetime, manners: Manners) -> Iterator[Telling]:
    """A question is brought to mind once, at its own time; anything else every so often."""
    if question := alert.trouble.question:
        if not alert.told.reminded:
            yield Telling(What.REMINDER, max(question.remind_at, last))
        if alert.told.by == SECOND and not alert.told.stamp:
            yield Telling(What.AGAIN, last + manners.again)  # with its buttons, once Slack is back
        return
    if alert.count > alert.told.count:
        yield Telling(What.AGAIN, last + manners.again)
    if manners.severity(alert) is not Severity.INFO:
        yield Telling(What.REMINDER, last + manners.remind)


def began(alert: Alert, key: str, until: datetime) -> Alert:
    """The message may be on its way from now on."""
    asks = alert.told.sending.asks if alert.told.sending else 0
    return replace(alert, told=replace(alert.told, sending=Sending(key, until, asks)))


def arrived(alert: Alert, telling: Telling, at: datetime, by: str) -> Alert:
    """People have been told."""
    told = alert.told
    told = replace(
        told,
        posts=told.posts + 1,
        count=alert.count,
        closed=not alert.open,
        at=at,
        reminded=told.reminded or telling.what is What.REMINDER,
        by=by,
        tries=0,
        again_at=None,
        sending=None,
    )
    alert = replace(alert, told=told)
    if alert.trouble.said_once:
        return replace(closed(alert, at, "told"), told=replace(told, closed=True))
    return alert


def lies_at(alert: Alert, channel: str, stamp: str, link: str) -> Alert:
    """Where the first message is; later ones go below it."""
    if alert.told.stamp:
        return alert
    return replace(alert, told=replace(alert.told, channel=channel, stamp=stamp, link=link))


def failed(alert: Alert, at: datetime, after: float | None = None) -> Alert:
    """It certainly did not arrive, and is tried again later."""
    told = alert.told
    wait = min(FIRST_WAIT * 2**told.tries, LONGEST_WAIT)
    if after is not None:
        wait = max(wait, min(timedelta(seconds=after), LONGEST_WAIT))
    return replace(alert, told=replace(told, tries=told.tries + 1, again_at=at + wait, sending=None))


def in_doubt(alert: Alert, at: datetime) -> Alert:
    """Slack could not tell whether it has the message: it is asked again."""
    told = alert.told
    if told.sending is None:
        return alert
    later = replace(told.sending, until=at + FIRST_WAIT, asks=told.sending.asks + 1)
    return replace(alert, told=replace(told, sending=later))


def of_slack(alert: Alert) -> bool:
    """Whether Slack is what is wrong, so that it cannot be the way to say it."""
    return alert.trouble.topic is Topic.SLACK
