"""Alerts from what is stored: each raised once, told once, by the way that works."""

from __future__ import annotations

from dataclasses import replace
from datetime import time

import pytest

from daemon.domain.alerts import Topic
from daemon.domain.job import Disposition
from daemon.domain.manners import Daily, Manners
from daemon.domain.model import RunState
from daemon.domain.pause import Pause
from daemon.domain.streak import why_paused
from daemon.ports import Letter, Notice, Severity, Stale, StoreUnavailable
from daemon.testing.letterbox import Letterbox, OtherWay
from tests.builders import T0, a_ledger_row, a_question, a_run, after
from tests.unit.runtime.newsroom import DENIED, DOWN, Newsroom


@pytest.fixture
def room() -> Newsroom:
    return Newsroom()


class Crash(Exception):
    """The daemon dies here."""


class TestWhatIsRaised:
    def test_a_failed_run_is_told_once(self, room: Newsroom) -> None:
        room.run("daily", RunState.FAILED)
        room.live(600)
        assert room.headlines == ["daily for 2026-02-28 failed: query: transient: no connection"]

    def test_a_good_run_tells_nothing(self, room: Newsroom) -> None:
        room.run("daily", RunState.SUCCEEDED)
        room.live(600)
        assert room.slack.letters == []

    @pytest.mark.parametrize(
        ("state", "reason", "topic"),
        [
            (RunState.FAILED, "query: denied: no", Topic.FAILED),
            (RunState.DEGRADED, "chart: timeout", Topic.DEGRADED),
            (RunState.FAILED, "budget exceeded: not finished within 1:00:00", Topic.BUDGET),
        ],
    )
    def test_every_bad_end_has_its_topic(self, room: Newsroom, state: RunState, reason: str, topic: Topic) -> None:
        room.run("daily", state, reason)
        room.turn()
        assert [alert.trouble.topic for alert in room.alerts] == [topic]

    @pytest.mark.parametrize(
        ("notice", "topic"),
        [
            ("store_trouble", Topic.STORE),
            ("reload_refused", Topic.RELOAD),
            ("config_fault", Topic.RELOAD),
            ("model_budget", Topic.BUDGET),
            ("run_defect", Topic.DAEMON),
        ],
    )
    def test_what_happens_to_the_daemon_is_told_too(self, room: Newsroom, notice: str, topic: Topic) -> None:
        room.alerter.notice(Notice(notice, "something is wrong", Severity.CRITICAL, job="daily"))
        room.turn()
        assert [alert.trouble.topic for alert in room.alerts] == [topic]
        assert room.headlines == ["something is wrong"]

    def test_a_due_instant_that_got_no_run_is_overdue(self, room: Newsroom) -> None:
        missed = replace(a_ledger_row(a_run(), Disposition.MISSED_EXPIRED), run=None, reason="not begun within 10 min")
        room.store.create([], [replace(missed, recorded_at=after(1))])
        room.turn(5)
        assert room.headlines == ["daily for 2026-02-28 did not start: not begun within 10 min"]

    def test_a_job_that_is_late_is_told_once_over_restarts_and_well_when_the_lookout_says_so(
        self, room: Newsroom
    ) -> None:
        late = Notice(
            "overdue", "daily has not started: it is paused", job="daily", about=("overdue/daily/10/started",)
        )
        for cause in ("it is paused", "no daemon was at work", "it is queued"):
            room.alerter.notice(replace(late, message=f"daily has not started: {cause}"))
            room.live(1800)
            room.start()
        assert room.headlines == [late.message]
        room.alerter.notice(Notice("recovered", "weekly is no longer overdue", job="weekly"))
        room.turn(5)
        assert len(room.alerts) == 1
        room.alerter.notice(Notice("recovered", "daily is no longer overdue", job="daily"))
        room.turn(5)
        assert room.headlines[-1].startswith("well again: daily is no longer overdue")
        assert room.alerts == []

    def test_many_that_are_late_together_are_told_of_once(self, room: Newsroom) -> None:
        late = tuple(f"overdue/job-{n}/10/started" for n in range(40))
        text = "40 jobs (a, b, c, d, e and 35 more) are overdue: no daemon was at work"
        room.alerter.notice(Notice("overdue", text, about=late))
        room.live(9 * 3600)
        assert len(room.slack.letters) == 1
        assert room.alerts == []
        assert room.store.alerts.known([*late, "overdue/job-0/11/started"]) == frozenset(late)


class TestFoldingAndRecovery:
    def test_repeats_go_below_the_first_message_with_their_count(self, room: Newsroom) -> None:
        for number in range(5):
            room.run(f"run-{number}", RunState.FAILED, job="daily")
            room.live(60)
        room.live(900)
        first, again = room.slack.letters
        assert again.thread == "1.000100"
        assert "Met 5 times" in again.markdown
        assert not first.thread

    def test_a_recovery_closes_it(self, room: Newsroom) -> None:
        room.run("run-1", RunState.FAILED, job="daily")
        room.live(60)
        room.run("run-2", RunState.SUCCEEDED, job="daily")
        room.live(60)
        assert room.slack.letters[-1].thread == "1.000100"
        assert room.headlines[-1].startswith("recovered: daily")
        assert room.alerts == []

    def test_what_stays_wrong_is_brought_to_mind(self, room: Newsroom) -> None:
        room.run("daily", RunState.FAILED)
        room.live(9 * 3600)
        assert [head.split(":")[0] for head in room.headlines[1:]] == ["still", "still"]

    def test_an_outage_that_hits_fifty_jobs_is_one_incident(self, room: Newsroom) -> None:
        for number in range(50):
            room.run(f"job-{number}", RunState.FAILED)
            room.turn(1)
        room.live(1000)
        assert len(room.slack.letters) == 2
        assert room.headlines[1].startswith("again: incident: 50 jobs failed for one cause")

    def test_a_good_reload_ends_the_alert_of_the_bad_one(self, room: Newsroom) -> None:
        room.alerter.notice(Notice("reload_refused", "jobs/a.yaml:3: no such tool"))
        room.turn()
        room.alerter.notice(Notice("reloaded", "3 jobs"))
        room.turn(5)
        assert room.alerts == []


class TestCrashes:
    """A crash neither loses an alert nor tells it twice; more of it in the casebook."""

    def test_what_ended_while_no_daemon_looked_is_found_at_the_next_start(self, room: Newsroom) -> None:
        room.run("daily", RunState.FAILED)
        room.clock.advance(3600)
        room.start()
        room.turn()
        assert len(room.slack.letters) == 1

    def test_more_than_one_look_takes_in_is_taken_in_by_the_next_ones(self) -> None:
        room = Newsroom(limit=2)
        for number in range(7):
            room.run(f"job-{number}", RunState.DEGRADED, f"reason {number}")
            room.clock.advance(1)
        room.clock.advance(3600)
        room.live(60)
        assert len(room.slack.letters) == 7

    def test_a_restart_long_after_the_last_alert_does_not_look_at_everything_since(self, room: Newsroom) -> None:
        room.live(7 * 3600)
        newest = room.store.alerts.newest()
        assert newest is not None
        assert (room.clock.now() - newest).total_seconds() < 6.1 * 3600

    def test_a_crash_before_the_alert_is_stored_loses_nothing(self, room: Newsroom) -> None:
        room.run("daily", RunState.FAILED)
        room.store.before_commit = _crash
        with pytest.raises(Crash):
            room.turn()
        room.store.before_commit = lambda _: None
        room.start()
        room.live(60)
        assert len(room.slack.letters) == 1

    @pytest.mark.parametrize("arrives", [True, False], ids=["it had arrived", "it had not"])
    def test_a_crash_while_it_is_sent_asks_slack_and_never_tells_twice(self, *, arrives: bool) -> None:
        room = Newsroom(second=None)
        room.run("daily", RunState.FAILED)
        room.slack.before = _die
        with pytest.raises(Crash):
            room.turn()
        if arrives:
            key = room.alerts[0].told.sending.key  # type: ignore[union-attr]  # it was stored before it was sent
            room.slack.arrived[key] = Letter("#ops", "daily failed", "")
        room.slack.before = lambda: None
        room.start()
        room.live(120)
        assert len(room.slack.letters) == 1
        assert room.slack.repeats == []

    def test_a_crash_after_it_was_sent_and_before_that_is_stored(self, room: Newsroom) -> None:
        room.run("daily", RunState.FAILED)

        def once_it_is_there(name: str) -> None:
            if room.slack.letters:
                raise Crash(name)

        room.store.before_commit = once_it_is_there
        with pytest.raises(Crash):
            room.turn()
        assert len(room.slack.letters) == 1
        room.store.before_commit = lambda _: None
        room.start()
        room.live(600)
        assert len(room.slack.letters) == 1
        assert room.slack.repeats == []

    def test_an_answer_that_is_lost_is_asked_for(self, room: Newsroom) -> None:
        room.slack.lost = True
        room.run("daily", RunState.FAILED)
        room.live(600)
        assert (len(room.slack.letters), room.slack.repeats) == (1, [])
        assert room.alerts[0].told.by == "slack"

    def test_who_has_lost_the_lease_tells_nothing(self, room: Newsroom) -> None:
        room.run("daily", RunState.FAILED)
        room.store.before_commit = _stale
        with pytest.raises(Stale):
            room.turn()
        assert room.slack.letters == []


def _crash(name: str) -> None:
    raise Crash(name)


def _die() -> None:
    raise Crash


def _stale(name: str) -> None:
    raise Stale(name)


class TestWhenSlackIsDown:
    def test_alerts_go_by_the_second_channel_and_once(self, room: Newsroom) -> None:
        assert room.second is not None
        room.slack.fault = DOWN
        room.run("daily", RunState.FAILED)
        room.live(3600)
        room.slack.fault = None
        room.live(3600)
        told = [title for title, _ in room.second.sent]
        assert "Slack does not take messages: transient: Slack cannot be reached" in told
        assert sum("daily for" in title for title in told) == 1
        assert room.slack.letters == []

    def test_credentials_that_do_not_work_go_there_at_once(self, room: Newsroom) -> None:
        assert room.second is not None
        room.slack.fault = DENIED
        room.run("daily", RunState.FAILED)
        room.live(5)
        assert len(room.second.sent) == 2
        assert {alert.trouble.topic for alert in room.alerts} == {Topic.FAILED, Topic.SLACK}

    def test_slack_is_well_again_with_the_next_message_that_it_takes(self, room: Newsroom) -> None:
        room.slack.fault = DENIED
        room.run("daily", RunState.FAILED)
        room.live(5)
        room.slack.fault = None
        room.run("other", RunState.DEGRADED, "no chart")
        room.live(60)
        assert Topic.SLACK not in {alert.trouble.topic for alert in room.alerts}

    def test_without_a_second_channel_it_is_told_when_slack_is_back(self) -> None:
        room = Newsroom(second=None)
        room.slack.fault = DOWN
        room.run("daily", RunState.FAILED)
        room.live(3600)
        assert room.slack.letters == []
        room.slack.fault = None
        room.live(1000)
        assert len(room.slack.letters) == 1

    def test_a_question_comes_to_slack_when_it_is_back(self, room: Newsroom) -> None:
        assert room.second is not None
        room.slack.fault = DOWN
        room.ask(a_question())
        room.live(3600)
        assert sum("waits for a person" in title for title, _ in room.second.sent) == 1
        room.slack.fault = None
        room.live(1800)
        assert len(room.slack.letters) == 1

    def test_slack_that_cannot_tell_what_it_has_is_not_believed_for_ever(self, room: Newsroom) -> None:
        assert room.second is not None
        room.slack.lost = room.slack.deaf = True
        room.run("daily", RunState.FAILED)
        room.live(600)
        assert len(room.second.sent) == 1
        assert len(room.slack.letters) == 1

    def test_a_second_channel_that_fails_is_tried_again(self) -> None:
        room = Newsroom(with_slack=False, second=OtherWay(refuses="no route"))
        room.run("daily", RunState.FAILED)
        room.live(60)
        assert room.second is not None
        room.second.refuses = ""
        room.live(600)
        assert len(room.second.sent) == 1

    def test_without_any_way_the_files_of_the_outbox_are_all(self) -> None:
        room = Newsroom(with_slack=False, second=None)
        room.run("daily", RunState.FAILED)
        room.live(60)
        assert [alert.told.by for alert in room.alerts] == ["outbox"]


class TestWhenTheStoreIsAway:
    def test_that_is_told_by_the_second_channel_once_and_closed_when_it_is_back(self, room: Newsroom) -> None:
        assert room.second is not None
        room.alerter.notice(Notice("store_trouble", "the disk is full", Severity.CRITICAL))
        room.store.before_commit = _away
        for _ in range(5):
            room.turn(2)
        assert [title for title, _ in room.second.sent] == ["the disk is full"]
        room.store.before_commit = lambda _: None
        room.alerter.notice(Notice("store_recovered", "the store answers again"))
        room.live(60)
        assert room.headlines == ["well again: the store answers again: the disk is full"]


def _away(name: str) -> None:
    raise StoreUnavailable(name)


QUESTION = a_question()


class TestQuestions:
    """As people see them in Slack; more of it in the casebook."""

    def test_it_is_asked_once_and_brought_to_mind_once_at_half_time(self, room: Newsroom) -> None:
        room.ask(QUESTION)
        room.live(2 * 3600 - 60)
        assert len(room.slack.letters) == 1
        room.live(2 * 3600)
        assert [letter.thread for letter in room.slack.letters] == ["", "1.000100"]
        assert room.headlines[1].startswith("still: ")

    def test_a_restart_neither_asks_again_nor_moves_the_reminder(self, room: Newsroom) -> None:
        room.ask(QUESTION)
        room.live(1200)
        room.start()
        room.live(2 * 3600 - 1201)
        assert len(room.slack.letters) == 1
        room.live(10)
        assert len(room.slack.letters) == 2

    @pytest.mark.parametrize(
        ("option", "by", "said"),
        [
            ("retry", "ada", "retry, by ada at 2026-03-01 09:01Z: daily"),
            ("abort", "expiry", "nobody answered in time: abort at 09:01Z: daily"),
        ],
    )
    def test_its_message_is_edited_to_say_what_became_of_it(
        self, room: Newsroom, option: str, by: str, said: str
    ) -> None:
        room.ask(QUESTION)
        room.live(60)
        room.answer(QUESTION, option, by)
        room.turn()
        [(stamp, letter)] = room.pen.edits
        assert (stamp, letter.buttons) == ("1.000100", ())
        assert letter.headline.startswith(said)
        assert room.alerts == []
        assert len(room.slack.letters) == 1

    def test_an_edit_that_fails_is_tried_again(self, room: Newsroom) -> None:
        room.ask(QUESTION)
        room.live(10)
        room.pen.fault = DOWN
        room.answer(QUESTION, "skip", "ada")
        room.live(10)
        room.pen.fault = None
        room.live(60)
        assert len(room.pen.edits) == 1

    def test_one_that_was_answered_while_no_daemon_looked_is_edited_at_the_next_start(self, room: Newsroom) -> None:
        room.ask(QUESTION)
        room.live(10)
        room.answer(QUESTION, "skip", "ada")
        room.clock.advance(5000)
        room.start()
        room.turn()
        assert len(room.pen.edits) == 1


def test_a_job_that_was_paused_for_failing_asks_until_it_is_resumed(room: Newsroom) -> None:
    room.store.pause(Pause("other", T0, "ada", "the source is moved"))
    room.store.pause(Pause("daily", T0, "clockwright", why_paused(3)))
    room.live(10)
    assert room.headlines == ["daily is paused: it has failed 3 times in a row"]
    room.run("by-hand", RunState.SUCCEEDED, job="daily")
    room.live(10)
    assert len(room.alerts) == 1
    room.store.resume("daily", room.clock.now(), "ada")
    room.turn()
    [(stamp, letter)] = room.pen.edits
    assert (stamp, letter.headline) == ("1.000100", "resumed: daily is paused: it has failed 3 times in a row")
    assert room.alerts == []


class TestDailyDigest:
    def test_it_comes_once_a_day_with_what_was(self) -> None:
        room = Newsroom(Manners(channel="#ops", daily=Daily(time(12), "Europe/Berlin", "#day")))
        room.live(60)
        room.run("a", RunState.SUCCEEDED)
        room.run("b", RunState.DEGRADED, "no chart")
        room.ask(replace(QUESTION, expires_at=after(90000), remind_at=after(80000)))
        room.live(3 * 3600)
        room.start()
        room.live(3 * 3600)
        [digest] = [letter for letter in room.slack.letters if letter.channel == "#day"]
        assert digest.headline == (
            "The day until 2026-03-01 11:00Z: 1 succeeded, 0 late, 1 degraded, 0 failed, 0 not started, "
            "1 open questions; cost 0"
        )
        assert "b for 2026-02-28: no chart" in digest.markdown

    def test_a_fresh_installation_does_not_sum_up_a_day_that_it_did_not_see(self) -> None:
        room = Newsroom(Manners(channel="#ops", daily=Daily(time(9), "Europe/Berlin")))
        room.live(60)
        assert room.slack.letters == []


def test_slack_down_for_an_hour_delays_nothing_but_slack() -> None:
    """Fifty alerts while it is down: each told once, by the second channel, and none twice when it is back."""
    room = Newsroom(slack=Letterbox(fault=DOWN))
    assert room.second is not None
    for number in range(50):
        room.run(f"job-{number}", RunState.DEGRADED, f"reason {number}")
        room.live(72)
    room.slack.fault = None
    room.live(3600)
    told = [title for title, _ in room.second.sent if "degraded" in title] + [
        head for head in room.headlines if "degraded" in head and not head.startswith("well")
    ]
    assert len(told) == len(set(told)) == 50
