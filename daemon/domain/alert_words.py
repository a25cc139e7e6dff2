"""What an alert says: a headline, and the facts below it. What came from data is escaped as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from .alerts import Alert, Topic
from .manners import Manners
from .telling import Telling, What

HEADLINE_CHARS = 300
FACT_CHARS = 1000
MOST_NAMED = 20
_MARKUP = re.compile(r"([\\`*_\[\]<>|~])")
_SPACE = re.compile(r"\s+")
_MEMBER = re.compile(r"<?@?!?(?P<id>[UWS][A-Z0-9]{7,20})>?")
LINK = re.compile(r"https?://[^\s<>()|]+")
_MARK = {What.OPENED: "", What.AGAIN: "again: ", What.REMINDER: "still: ", What.CLOSED: ""}


@dataclass(frozen=True, slots=True)
class Words:
    """`headline` is plain text, `markdown` the message; `mentions` are Slack's ids of people and groups."""

    headline: str
    markdown: str
    mentions: tuple[str, ...] = ()


def words(alert: Alert, telling: Telling, manners: Manners) -> Words:
    trouble = alert.trouble
    headline = shortened(_headline(alert, telling), HEADLINE_CHARS)
    if trouble.topic is Topic.DIGEST:
        return Words(headline, trouble.cause)
    lines = [f"**{escaped(headline)}**", "", *(f"- {fact}" for fact in _facts(alert, telling, manners))]
    wanted = telling.what in {What.OPENED, What.REMINDER}
    found = _MEMBER.fullmatch(trouble.subject.owner)
    return Words(headline, "\n".join(lines), (found["id"],) if found and wanted else ())


def _headline(alert: Alert, telling: Telling) -> str:
    text = alert.trouble.text
    if telling.what is What.CLOSED:
        return f"{alert.outcome}: {text}"
    if alert.incident:
        what = f"{alert.ever} jobs {alert.trouble.topic} for one cause"
        return f"{_MARK[telling.what]}incident: {what}: {alert.trouble.cause}"
    return f"{_MARK[telling.what]}{text}"


def _facts(alert: Alert, telling: Telling, manners: Manners) -> Iterator[str]:
    trouble = alert.trouble
    subject = trouble.subject
    if alert.incident:
        yield f"Jobs: {_named(alert)}"
    elif subject.job:
        yield f"Job: {escaped(subject.job)}" + (f" for {trouble.data_date}" if trouble.data_date else "")
    if trouble.step:
        yield f"Step: {escaped(trouble.step)}"
    yield f"Cause: {escaped(shortened(trouble.cause, FACT_CHARS))}"
    if alert.count > 1:
        yield f"Met {alert.count} times since {alert.opened_at:%Y-%m-%d %H:%MZ}"
    yield from _what_next(alert, telling)
    yield from _where(alert, manners)


def _what_next(alert: Alert, telling: Telling) -> Iterator[str]:
    if telling.what is What.CLOSED:
        yield f"Now: {escaped(alert.outcome)}"
    else:
        yield f"Next: {escaped(shortened(alert.trouble.next, FACT_CHARS))}"


def _where(alert: Alert, manners: Manners) -> Iterator[str]:
    trouble = alert.trouble
    if trouble.run:
        yield f"Run: {run_link(trouble.run, manners.page)}"
    if trouble.subject.owner:
        yield f"Owner: {escaped(trouble.subject.owner)}"
    if runbook := trouble.subject.runbook:
        yield f"Runbook: {f'[open]({runbook})' if LINK.fullmatch(runbook) else escaped(runbook)}"


def _named(alert: Alert) -> str:
    jobs = [member.job for member in alert.members]
    more = alert.ever - min(len(jobs), MOST_NAMED)
    return ", ".join(map(escaped, jobs[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")


def run_link(run: str, page: str) -> str:
    if not page:
        return f"`clockwright runs show {run}`"
    return f"[{escaped(run)}]({run_address(run, page)})"


def run_address(run: str, page: str) -> str:
    return f"{page.rstrip('/')}/runs/{quote(run, safe='')}"


def escaped(text: str) -> str:
    """Text that Markdown leaves as it is, in one line."""
    return _MARKUP.sub(r"\\\1", _SPACE.sub(" ", text))


def shortened(text: str, most: int) -> str:
    text = _SPACE.sub(" ", text).strip()
    return text if len(text) <= most else f"{text[: most - 1]}…"
