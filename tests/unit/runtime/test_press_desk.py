"""Presses in Slack: one answer wins, everybody else is told why theirs does not count."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from daemon.domain.alerts import Subject, Topic, Trouble, raised
from daemon.domain.deed import Actor
from daemon.domain.errors import Kind
from daemon.domain.manners import Manners
from daemon.domain.model import Failed
from daemon.domain.pause import Pause
from daemon.domain.presses import Mark, buttons, press
from daemon.domain.severity import Severity
from daemon.domain.troubles import of_question
from daemon.ports import Declined
from daemon.runtime.press_desk import BELIEVED_SECONDS, GROUP_SECONDS
from tests.builders import T0
from tests.unit.runtime.counter import Bar, payload, submission

ADA, BOB, EVE = "U0000000A", "U0000000B", "U0000000E"


@pytest.fixture
def bar() -> Iterator[Bar]:
    made = Bar()
    yield made
    made.executor.kill()


def whispers(bar: Bar) -> list[tuple[str, str]]:
    bar.settle()
    bar.desk.follow()
    return bar.pen.whispers


class TestAnswers:
    def test_a_press_is_a_row_in_the_inbox_and_the_run_goes_on(self, bar: Bar) -> None:
        bar.desk.take(bar.press("skip"))
        assert whispers(bar) == []
        [row] = bar.store.escalations(include_closed=True)
        assert (row.option, row.closed_by) == ("skip", "ada")
        assert [(deed.by, deed.origin, deed.verb) for deed in bar.store.deeds()] == [("ada", f"slack {ADA}", "answer")]

    def test_whoever_comes_later_is_told_who_decided_what_and_when(self, bar: Bar) -> None:
        bar.desk.take(bar.press("skip"))
        bar.settle()
        bar.desk.take(bar.press("retry", BOB, "bob"))
        assert whispers(bar) == [(BOB, "Already decided: skip, by ada at 2026-03-02 09:00Z.")]

    def test_a_double_press_counts_once_and_the_second_is_told(self, bar: Bar) -> None:
        bar.desk.take(bar.press("skip"))
        bar.desk.take(bar.press("skip"))
        assert whispers(bar) == [(ADA, "Already decided: skip, by ada at 2026-03-02 09:00Z.")]

    def test_only_the_configured_people_may_answer(self, bar: Bar) -> None:
        bar.desk.take(bar.press("abort", EVE, "eve"))
        assert [user for user, _ in whispers(bar)] == [EVE]
        assert bar.run.escalations

    def test_so_may_the_members_of_a_configured_group(self) -> None:
        bar = Bar(users=frozenset(), groups=("S0123456789",))
        bar.pen.groups["S0123456789"] = frozenset({EVE})
        bar.desk.take(bar.press("skip", EVE, "eve"))
        assert whispers(bar) == []
        assert not bar.run.escalations

    def test_who_has_left_the_group_may_not(self) -> None:
        bar = Bar(users=frozenset(), groups=("S0123456789",))
        bar.pen.groups["S0123456789"] = frozenset({EVE})
        assert bar.people.may(EVE)
        bar.pen.groups["S0123456789"] = frozenset()
        bar.clock.advance(GROUP_SECONDS)
        assert not bar.people.may(EVE)

    def test_while_slack_does_not_say_who_they_are_the_last_ones_may_for_an_hour(self) -> None:
        bar = Bar(users=frozenset(), groups=("S0123456789",))
        bar.pen.groups["S0123456789"] = frozenset({EVE})
        assert bar.people.may(EVE)
        bar.pen.groups.clear()
        bar.clock.advance(BELIEVED_SECONDS - 1)
        assert bar.people.may(EVE)
        bar.clock.advance(1)
        assert not bar.people.may(EVE)

    def test_an_expired_question_is_not_answered(self, bar: Bar) -> None:
        late = bar.press("retry")
        expires = bar.store.escalations()[0].expires_at
        bar.clock.advance((expires - bar.clock.now()).total_seconds())
        bar.desk.take(late)
        [(user, text)] = whispers(bar)
        assert user == ADA
        assert text.startswith("Too late: the question expired at")
        assert bar.store.deeds() == []

    def test_a_press_after_a_restart_works(self, bar: Bar) -> None:
        before = bar.press("skip")
        bar.desk = bar.open_desk()
        bar.desk.take(before)
        assert whispers(bar) == []
        assert not bar.run.escalations

    def test_a_button_of_another_run_does_not_touch_this_one(self, bar: Bar) -> None:
        bar.desk.take(bar.press("skip", run="another-run"))
        assert whispers(bar) == [(ADA, "This question is not known any more.")]
        assert bar.run.escalations

    def test_a_button_that_shows_something_else_does_not_decide(self, bar: Bar) -> None:
        bar.desk.take(bar.press("skip", digest="what-was-asked-before"))
        [(_, text)] = whispers(bar)
        assert "changed since it was shown" in text
        assert bar.run.escalations

    def test_an_option_that_is_not_offered_is_refused(self, bar: Bar) -> None:
        bar.desk.take(bar.press("approve"))
        [(_, text)] = whispers(bar)
        assert "'approve' is not offered" in text


@pytest.mark.parametrize(
    "sent",
    [
        None,
        {},
        [],
        {"type": "block_actions"},
        {"type": "block_actions", "actions": [], "user": {"id": ADA}},
        {"type": "block_actions", "actions": [{"action_id": "other.app", "value": "{}"}], "user": {"id": ADA}},
        {"type": "block_actions", "actions": [{"action_id": "clockwright.skip", "value": "?"}], "user": {"id": ADA}},
        {"type": "block_actions", "actions": [{"action_id": "clockwright.skip", "value": "[]"}], "user": {"id": ADA}},
        {"type": "shortcut", "actions": [{"action_id": "clockwright.skip", "value": "{}"}], "user": {"id": ADA}},
        {"type": "view_submission", "view": {"callback_id": "other", "private_metadata": "{}"}, "user": {"id": ADA}},
        {"type": "view_submission", "view": {"callback_id": "clockwright.change", "private_metadata": "{}"}},
    ],
)
def test_what_is_none_of_ours_is_ignored(bar: Bar, sent: object) -> None:
    assert press(sent) is None
    bar.desk.take(sent)
    assert bar.pen.whispers == []
    assert bar.run.escalations


class TestChanges:
    def test_retry_with_changes_asks_for_the_open_inputs_alone(self, bar: Bar) -> None:
        bar.desk.take(bar.press("change"))
        [view] = bar.pen.views
        assert [(block["block_id"], block["element"]["initial_value"]) for block in view["blocks"]] == [
            ("path", '"/old"')
        ]

    def test_a_form_that_slack_does_not_take_is_said(self, bar: Bar) -> None:
        bar.pen.fault = Failed(Kind.MISCONFIGURED, "views.open: expired_trigger_id")
        bar.desk.take(bar.press("change"))
        [(user, text)] = whispers(bar)
        assert user == ADA
        assert "expired_trigger_id" in text

    def test_what_is_entered_is_what_the_step_then_gets(self, bar: Bar) -> None:
        bar.desk.take(bar.press("change"))
        bar.desk.take(submission(bar.pen.views[0], ADA, "ada", {"path": '"/new"'}))
        assert whispers(bar) == []
        assert bar.run.steps["a"].changes == {"path": "/new"}

    def test_what_is_left_as_it_was_is_no_change(self, bar: Bar) -> None:
        bar.desk.take(bar.press("change"))
        bar.desk.take(submission(bar.pen.views[0], ADA, "ada", {"path": '"/old"'}))
        whispers(bar)
        assert bar.run.steps["a"].changes == {}
        assert bar.run.steps["a"].tries == 2

    @pytest.mark.parametrize(
        ("values", "why"),
        [
            ({"path": "no quotes"}, "is not JSON"),
            ({"path": "NaN"}, "is not JSON"),
            ({"to": '"#b"'}, "may not be changed"),
        ],
    )
    def test_nonsense_and_locked_inputs_are_refused(self, bar: Bar, values: dict[str, str], why: str) -> None:
        bar.desk.take(bar.press("change"))
        bar.desk.take(submission(bar.pen.views[0], ADA, "ada", values))
        [(_, text)] = whispers(bar)
        assert why in text
        assert bar.run.escalations


class TestButtons:
    def test_one_for_each_option_and_one_for_changes(self, bar: Bar) -> None:
        asked = next(iter(bar.run.escalations.values()))
        alert = raised([], of_question(bar.run, asked, Subject("daily")), Manners().window)
        made = {button.action.removeprefix("clockwright."): button for button in buttons(alert, ("path",))}
        assert list(made) == ["retry", "change", "skip", "abort"]
        assert made["abort"].confirm
        assert [made[name].style for name in ("retry", "abort")] == ["primary", "danger"]
        assert set(json.loads(made["retry"].value)) == {"r", "q", "d", "j", "n"}
        assert "change" not in {button.action.removeprefix("clockwright.") for button in buttons(alert, ())}

    def test_a_job_that_is_paused_for_failing_is_resumed_by_one(self, bar: Bar) -> None:
        job = bar.run.job
        bar.store.pause(Pause(job, bar.clock.now(), "clockwright", "it has failed 3 times in a row"))
        trouble = Trouble("x", Topic.STREAK, T0, "paused", "", "", Severity.CRITICAL, Subject(job))
        [button] = buttons(raised([], trouble, Manners().window), ())
        pressed = payload("resume", ADA, "ada", Mark(**_unpacked(button.value)))
        bar.desk.take(pressed)
        bar.desk.take(pressed)
        assert bar.store.pauses() == []
        assert [text for _, text in bar.pen.whispers] == [f"`{job}` is resumed.", f"`{job}` is not paused any more."]


def _unpacked(value: str) -> dict[str, str]:
    found = json.loads(value)
    return {"job": found["j"], "nonce": found["n"]}


def test_of_fifty_who_answer_at_once_from_everywhere_one_wins_and_all_others_are_told() -> None:
    """Slack by socket, Slack by HTTP and the command line: all of them only ever leave messages."""
    people = [f"U{number:08d}" for number in range(50)]
    bar = Bar(users=frozenset(people))
    start = Barrier(50)
    told: list[str] = []

    def by_command(user: str) -> None:
        try:
            message = bar.commands.answer(Actor(user, "cli"), question, "retry", {})
        except Declined as refused:
            told.append(f"{user}: {refused}")
        else:
            left[user] = message

    def by_slack(user: str) -> None:
        bar.desk.take(bar.press("skip" if int(user[1:]) % 2 else "abort", user, user))

    def answer(number: int) -> None:
        ways: list[Callable[[str], None]] = [by_command, by_slack, by_slack]
        start.wait()
        ways[number % 3](people[number])

    question, left = bar.question, dict[str, int]()
    with ThreadPoolExecutor(50) as pool:
        list(pool.map(answer, range(50)))
    bar.settle()
    bar.desk.follow()
    row = next(row for row in bar.store.escalations(include_closed=True) if row.id == question)
    told += [f"{user}: {reply}" for user, message in left.items() if (reply := bar.store.reply(message))]
    told += [f"{user}: {text}" for user, text in bar.pen.whispers]
    assert row.closed_by in people
    assert {line.split(":")[0] for line in told} == set(people) - {row.closed_by}
    assert len(told) == 49
    bar.executor.kill()
