"""What became of every due instant, as the command line says it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from daemon.cli.application import main
from daemon.domain.calendar import occurrence
from daemon.domain.deed import Actor
from daemon.domain.job import Disposition, LedgerRow
from daemon.domain.revision import Revision
from tests.unit.cli.desk import Desk, job_of

JOB = job_of()
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
DUE = [TODAY - timedelta(days=days, hours=14) for days in (1, 0)]


@pytest.fixture
def told(desk: Desk) -> Desk:
    """Two instants that are over; one of them has a row."""
    with desk.daemon(JOB) as daemon:
        assert JOB.schedule is not None
        daemon.store.revise([Revision(JOB.id, TODAY - timedelta(days=2), JOB.schedule)], {JOB.id: DUE[1]})
        row = LedgerRow(
            occurrence(JOB, DUE[0], "test"),
            Disposition.SKIPPED_PAUSED,
            "paused by ada: moving",
            recorded_at=DUE[0],
            evidence={"looked_at": "10:01"},
        )
        daemon.store.create([], [row])
    return desk


def clockwright(desk: Desk, *words: str) -> int:
    return main(["--config", str(desk.folder), *words])


def test_the_sums_are_all_that_was_due_and_what_is_missing_shows(
    told: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert clockwright(told, "account", JOB.id, "--to", f"{TODAY - timedelta(days=1):%Y-%m-%d}", "--json") == 1
    said = json.loads(capsys.readouterr().out)
    assert said["sums"] == {"skipped_paused": 1, "unaccounted": 1}
    assert said["due"] == 2


def test_each_instant_can_be_listed(told: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    clockwright(told, "account", JOB.id, "--all")
    said = capsys.readouterr().out
    assert "paused by ada: moving" in said
    assert "100 %" in said


def test_why_names_the_reason_and_the_evidence(told: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert clockwright(told, "why", JOB.id, "--at", f"{DUE[0]:%Y-%m-%dT%H:%M}") == 0
    said = capsys.readouterr().out
    assert "skipped paused: paused by ada: moving" in said
    assert "looked at: 10:01" in said


def test_why_names_every_run_that_was_made_for_the_instant(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    with desk.daemon(JOB) as daemon:
        assert JOB.schedule is not None
        daemon.store.revise([Revision(JOB.id, TODAY - timedelta(days=3), JOB.schedule)])
    due = TODAY - timedelta(days=1, hours=14)
    assert desk.run(JOB, day=(due - timedelta(days=1)).date()) == 0
    with desk.daemon(JOB) as daemon:
        [first] = daemon.queries.runs()
        daemon.commands.retry(Actor("ada", "test"), first.id)
        row = LedgerRow(occurrence(JOB, due, "test"), Disposition.STARTED, "a person ran it", first.id, due)
        daemon.store.create([], [row], {JOB.id: due})
    capsys.readouterr()
    assert clockwright(desk, "why", JOB.id, "--at", f"{due:%Y-%m-%dT%H:%M}") == 0
    said = capsys.readouterr().out
    assert f"run {first.id} (request): succeeded" in said
    assert f"run {first.id[:-1]}2 (retry): queued" in said
    clockwright(desk, "account", JOB.id, "--from", f"{due:%Y-%m-%d}", "--to", f"{due:%Y-%m-%d}", "--json")
    assert json.loads(capsys.readouterr().out)["sums"] == {"started": 1}


def test_why_says_when_a_job_was_not_due(told: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    clockwright(told, "why", JOB.id, "--at", f"{DUE[0] + timedelta(minutes=1):%Y-%m-%dT%H:%M}")
    assert "not due at" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("account", "unknown"), "no schedule of 'unknown' was ever in force"),
        (("account", JOB.id, "--from", "x"), "'x' is not a date"),
        (("account", JOB.id, "--from", "2026-03-02", "--to", "2026-03-01"), "2026-03-02 is after 2026-03-01"),
        (("why", JOB.id, "--at", "noon"), "'noon' is not a time"),
    ],
)
def test_what_cannot_be_meant_is_said(
    told: Desk, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert clockwright(told, *words) == 2
    assert message in capsys.readouterr().err


def test_a_pause_is_kept_with_who_and_why_and_ended(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert clockwright(desk, "jobs", "pause", "--all", "--why", "moving", "--by", "ada") == 0
    with desk.daemon(JOB) as daemon:
        assert daemon.store.pauses()[0].told == "everything was paused by ada: moving"
    assert clockwright(desk, "jobs", "resume", "--all") == 0
    assert clockwright(desk, "jobs", "resume", "--all") == 0
    said = capsys.readouterr().out
    assert "everything: paused\neverything: resumed\nnothing is paused" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("jobs", "pause"), "name the jobs, or say --all"),
        (("jobs", "pause", "nothing"), "there is no job 'nothing'"),
        (("jobs", "pause", "--all", "--until", "2020-01-01T00:00"), "has passed"),
    ],
)
def test_a_pause_that_cannot_be_is_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert clockwright(desk, *words) == 2
    assert message in capsys.readouterr().err


def test_a_job_that_follows_another_was_due_for_each_of_its_successes(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    with desk.daemon(JOB) as daemon:
        assert JOB.schedule is not None
        since = TODAY - timedelta(days=2)
        daemon.store.revise(
            [Revision(JOB.id, since, JOB.schedule), Revision("follower", since, None, JOB.id)], {"follower": since}
        )
    assert desk.run(JOB, day=(TODAY - timedelta(days=1)).date()) == 0
    capsys.readouterr()
    clockwright(desk, "account", "follower", "--json")
    assert json.loads(capsys.readouterr().out)["sums"] == {"owed": 1}
    with desk.daemon(JOB) as daemon:
        daemon.store.create([], [], {"follower": datetime.now(UTC) + timedelta(seconds=1)})
    assert clockwright(desk, "account", "follower", "--json") == 1
    assert json.loads(capsys.readouterr().out)["sums"] == {"unaccounted": 1}
