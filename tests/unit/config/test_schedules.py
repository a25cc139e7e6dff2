"""The schedule section: what it may say, what is refused, what is pointed out."""

from __future__ import annotations

from datetime import date, time, timedelta

import pytest

from daemon.domain.job import Job
from daemon.domain.schedule import Fold, Gap
from daemon.domain.timing import Blackout, CatchUp, Overlap
from tests.unit.config.workshop import DAILY, Workshop

CRON = '  cron: "0 10 * * *"\n'


def scheduled(workshop: Workshop, lines: str) -> Job:
    workshop.job(DAILY.replace(CRON, "".join(f"  {line}\n" for line in lines.splitlines())))
    loaded = workshop.load()
    assert loaded.faults == ()
    return loaded.jobs[0]


def faults(workshop: Workshop, lines: str) -> list[str]:
    workshop.job(DAILY.replace(CRON, "".join(f"  {line}\n" for line in lines.splitlines())))
    return workshop.faults()


def test_an_interval_may_stand_for_a_cron_expression(workshop: Workshop) -> None:
    schedule = scheduled(workshop, "every: 90s\nanchor: 2026-01-05T10:15").schedule
    assert schedule is not None
    assert (schedule.every, schedule.written) == (timedelta(seconds=90), "every 1m30s")


def test_rules_for_clock_changes_are_read(workshop: Workshop) -> None:
    schedule = scheduled(workshop, 'cron: "30 2 * * *"\ngap: skip\nfold: both').schedule
    assert schedule is not None
    assert (schedule.gap, schedule.fold) == (Gap.SKIP, Fold.BOTH)


def test_every_rule_of_timing_is_read(workshop: Workshop) -> None:
    timing = scheduled(
        workshop,
        'cron: "0 9 * * *"\ncatch_up: all\ncatch_up_window: 3d\ncatch_up_limit: 5\noverlap: queue\nqueue: 2\n'
        "start_within: 2h\nfinish_within: 4h\njitter: 30s\npriority: 7",
    ).timing
    assert (timing.catch_up, timing.window, timing.limit) == (CatchUp.ALL, timedelta(days=3), 5)
    assert (timing.overlap, timing.queue, timing.start_within) == (Overlap.QUEUE, 2, timedelta(hours=2))
    assert (timing.finish_within, timing.jitter, timing.priority) == (timedelta(hours=4), timedelta(seconds=30), 7)


def test_a_calendar_is_read(workshop: Workshop) -> None:
    calendar = scheduled(
        workshop,
        'cron: "0 9 * * *"\ncalendar:\n  business_days: true\n  holidays: DE-BE\n  exclude: ["2026-12-24"]\n'
        '  blackouts: [{from: "22:00", to: "06:00", days: [SAT]}]',
    ).timing.calendar
    assert calendar.business_days
    assert calendar.exclude == {date(2026, 12, 24)}
    assert calendar.blackouts == (Blackout(time(22), time(6), frozenset({5})),)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('cron: "@daily"\nevery: 1h', "jobs/daily.yaml:4:1: a schedule has exactly one of cron, every and after, not"),
        ("gap: skip", "exactly one of cron, every and after, not none of them"),
        ("every: 500ms", "jobs/daily.yaml:5:3: an interval is at least one second"),
        ("every: 1s500ms", "a number of whole seconds"),
        ("every: 1h\nfold: both", "jobs/daily.yaml:6:3: 'fold' has no effect here (an interval of real time"),
        ('cron: "@daily"\nqueue: 3', "'queue' has no effect here (it belongs to 'overlap: queue')"),
        ('cron: "@daily"\ncatch_up_limit: 3', "'catch_up_limit' has no effect here"),
        ('cron: "@daily"\ncatch_up: none\ncatch_up_window: 3d', "'catch_up_window' has no effect here"),
        ('cron: "@daily"\nanchor: 2026-01-05T10:15', "'anchor' has no effect here"),
        ("every: 1d\nanchor: 2026-01-05T10:15+01:00", "is no local time"),
        ('cron: "@daily"\ncalendar: {holidays: Germany}', "no holidays are known for 'Germany'"),
        ('cron: "@daily"\ncalendar: {exclude: ["2026-02-30"]}', "'2026-02-30' is not a date"),
        ('cron: "@daily"\ncalendar: {blackouts: [{from: "22:00", to: "24:00"}]}', "string should match pattern"),
        ('cron: "@daily"\noverlap: replace', "'overlap'"),
    ],
)
def test_what_would_have_no_effect_or_cannot_be_is_refused(workshop: Workshop, lines: str, message: str) -> None:
    found = faults(workshop, lines)
    assert any(message in fault for fault in found), found


def warnings(workshop: Workshop, lines: str) -> str:
    scheduled(workshop, lines)
    return "\n".join(str(warning) for warning in workshop.load().warnings)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('cron: "0 9 13 * FRI"', "both day fields are set: it fires when either matches"),
        ("every: 30s", "it is due more than once a minute"),
        ('cron: "30 2 * * *"', "left out: it moves to the first time after"),
        ('cron: "30 2 * * *"', "shown twice: the first counts"),
    ],
)
def test_what_may_surprise_is_pointed_out(workshop: Workshop, lines: str, message: str) -> None:
    assert message in warnings(workshop, lines)


def test_whoever_chose_a_rule_is_not_warned_of_the_change(workshop: Workshop) -> None:
    assert warnings(workshop, 'cron: "30 2 * * *"\ngap: skip\nfold: second') == ""
