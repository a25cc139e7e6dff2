"""What becomes of owed instants, as a table: one job, what is known, what is decided and what stays owed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

import pytest

from daemon.domain.job import Disposition, Job
from daemon.domain.ledger import Owed, Situation, Verdict, account
from daemon.domain.pause import EVERYTHING, Pause
from daemon.domain.plan import Step
from daemon.domain.timing import Blackout, Calendar, CatchUp, Overlap, Timing
from daemon.testing.tools import make_job, make_plan

JOB = make_job(make_plan([Step("a", "look")], job="hourly"))
MIDNIGHT = datetime(2026, 3, 10, tzinfo=UTC)
PAUSED = Pause("hourly", MIDNIGHT, "ada", "the source is moved")
WORDS = {
    Disposition.STARTED: "start",
    Disposition.LATE_STARTED: "late",
    Disposition.COALESCED_INTO: "into",
    Disposition.SKIPPED_OVERLAP: "overlap",
    Disposition.SKIPPED_PAUSED: "paused",
    Disposition.SKIPPED_CALENDAR: "calendar",
    Disposition.MISSED_EXPIRED: "missed",
    Disposition.BLOCKED_INVALID: "invalid",
}


def hour(number: float) -> datetime:
    return MIDNIGHT + timedelta(hours=number)


def job(**timing: object) -> Job:
    return replace(JOB, timing=Timing(**timing))  # type: ignore[arg-type]  # a test's shorthand


@dataclass(frozen=True)
class Case:
    """`owed` are hours of the day, `now` is one; `said` has a word for each decided, and a dash for what stays owed."""

    name: str
    job: Job
    owed: tuple[float, ...]
    said: str
    now: float = 12.0
    situation: Situation = Situation()


RUNNING_SINCE_9 = Situation(running_since=hour(9))
ALL3 = job(catch_up=CatchUp.ALL, limit=3)
QUEUE2 = job(overlap=Overlap.QUEUE, queue=2)
NONE = job(catch_up=CatchUp.NONE)

CASES = [
    Case("on time", job(), (12,), "start"),
    Case("nothing owed", job(), (), ""),
    Case("a minute late is on time", job(), (12,), "start", now=12 + 60 / 3600),
    Case("later is late", job(), (12,), "late", now=12 + 61 / 3600),
    Case("latest of three", job(), (9, 10, 11), "into into late"),
    Case("latest, the newest on time", job(), (10, 11, 12), "into into start"),
    Case("none", NONE, (9, 10, 11), "missed missed missed"),
    Case("none, the newest on time", NONE, (10, 11, 12), "missed missed start"),
    Case("all starts the oldest, the others wait for it", ALL3, (9, 10, 11), "late - -"),
    Case("all, beyond its limit", ALL3, (7, 8, 9, 10, 11), "missed missed late - -"),
    Case("all, side by side", job(catch_up=CatchUp.ALL, overlap=Overlap.ALLOW), (9, 10, 11), "late late late"),
    Case(
        "all, as many as there is room for",
        job(catch_up=CatchUp.ALL, overlap=Overlap.ALLOW),
        (9, 10, 11),
        "late late -",
        situation=Situation(late_room=2),
    ),
    Case("no room for what is late", job(), (10, 11), "into -", situation=Situation(late_room=0)),
    Case("older than the window", job(window=timedelta(hours=2)), (8, 9, 11), "missed missed late"),
    Case("all older than the window", job(window=timedelta(hours=2)), (7, 8, 9), "missed missed missed"),
    Case("past its start deadline", job(start_within=timedelta(minutes=30)), (11, 12), "missed start"),
    Case("overlap skips", job(), (10, 11, 12), "overlap overlap overlap", situation=RUNNING_SINCE_9),
    Case("what was owed before the run waits for it", ALL3, (8, 9), "- -", situation=RUNNING_SINCE_9),
    Case("overlap queues the newest", QUEUE2, (10, 11, 12), "into - -", situation=RUNNING_SINCE_9),
    Case("a queue goes on when the run has ended", QUEUE2, (11, 12), "late -"),
    Case("overlap allows", job(overlap=Overlap.ALLOW), (12,), "start", situation=RUNNING_SINCE_9),
    Case("paused: the newest stays owed", job(), (10, 11, 12), "paused paused -", situation=Situation(pause=PAUSED)),
    Case("paused, no catch-up", NONE, (11, 12), "paused paused", situation=Situation(pause=PAUSED)),
    Case("paused, all", ALL3, (8, 9, 10, 11), "paused - - -", situation=Situation(pause=PAUSED)),
    Case(
        "paused beyond the window",
        job(window=timedelta(hours=2)),
        (8, 9),
        "paused paused",
        situation=Situation(pause=PAUSED),
    ),
    Case("a person ran it early", job(), (11, 12), "start start", situation=Situation(made={hour(11): "run-1"})),
    Case(
        "a person is running it now",
        job(),
        (12,),
        "start",
        situation=Situation(running_since=hour(11.5), made={hour(12): "run-1"}),
    ),
    Case("a broken job", replace(JOB, broken="no tool"), (11, 12), "invalid invalid"),
    Case(
        "an excluded date",
        job(calendar=Calendar(exclude=frozenset({MIDNIGHT.date()}))),
        (11, 12),
        "calendar calendar",
    ),
    Case(
        "an instant within a blackout",
        job(calendar=Calendar(blackouts=(Blackout(time(11), time(11, 30)),))),
        (11, 12),
        "calendar start",
    ),
    Case(
        "nothing starts within a blackout, whatever it stands for",
        job(calendar=Calendar(blackouts=(Blackout(time(11, 30), time(13)),))),
        (10, 11),
        "into -",
    ),
]


def told(verdicts: list[Verdict], owed: tuple[float, ...]) -> str:
    assert [verdict.instant for verdict in verdicts] == [hour(number) for number in owed[: len(verdicts)]]
    words = [WORDS[verdict.disposition] for verdict in verdicts]
    return " ".join(words + ["-"] * (len(owed) - len(words)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_owed_instant_is_decided_or_stays_owed(case: Case) -> None:
    owed = Owed(tuple(map(hour, case.owed)))
    assert told(account(case.job, owed, case.situation, hour(case.now)), case.owed) == case.said


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whatever_is_not_started_has_a_reason(case: Case) -> None:
    for verdict in account(case.job, Owed(tuple(map(hour, case.owed))), case.situation, hour(case.now)):
        assert verdict.reason or verdict.disposition is Disposition.STARTED


def test_the_reason_of_a_pause_names_who_and_why() -> None:
    verdict = account(NONE, Owed((hour(12),)), Situation(pause=PAUSED), hour(12))[0]
    assert verdict.reason == "paused by ada: the source is moved"
    assert Pause(EVERYTHING, hour(1), "ada").told == "everything was paused by ada"


def test_a_coalesced_instant_names_the_one_that_runs() -> None:
    assert account(JOB, Owed((hour(10), hour(11))), Situation(), hour(12))[0].evidence == {
        "into": "2026-03-10T11:00:00+00:00"
    }


@pytest.mark.parametrize(
    ("case", "disposition"),
    [
        (job(), Disposition.COALESCED_INTO),
        (job(window=timedelta(minutes=1)), Disposition.MISSED_EXPIRED),
        (NONE, Disposition.MISSED_EXPIRED),
        (ALL3, Disposition.MISSED_EXPIRED),
        (replace(JOB, broken="no tool"), Disposition.BLOCKED_INVALID),
    ],
)
def test_too_many_to_look_at_are_accounted_for_in_one_row(case: Job, disposition: Disposition) -> None:
    verdict = account(case, Owed((hour(11.99),), older=(hour(1), hour(11.5))), Situation(), hour(12))[0]
    assert (verdict.disposition, verdict.since, verdict.instant) == (disposition, hour(1), hour(11.5))


def test_a_jitter_is_no_lateness() -> None:
    spread = job(jitter=timedelta(minutes=30))
    late_by_jitter = hour(12) + spread.timing.delay("hourly")
    assert account(spread, Owed((hour(12),)), Situation(), late_by_jitter)[0].disposition is Disposition.STARTED


@pytest.mark.parametrize("seconds", [3, 299])
def test_cb_009_seconds_late_is_still_run_and_keeps_its_due_time(seconds: int) -> None:
    [verdict] = account(JOB, Owed((hour(10),)), Situation(), hour(10) + timedelta(seconds=seconds))
    assert verdict.starts
    assert verdict.instant == hour(10)
