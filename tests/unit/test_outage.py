"""Slack is down for an hour: runs wait, the report arrives once when it is back, or another way by its deadline."""

from __future__ import annotations

from datetime import timedelta

from daemon.domain.defaults import Retry
from daemon.domain.errors import Kind
from daemon.domain.model import RunState
from daemon.domain.plan import Exhausted, Plan, Step
from daemon.ports import Call
from daemon.testing.plays import Play, fail, lose_answer, succeed
from daemon.testing.stage import Stage
from daemon.testing.tools import make_plan

HOUR = 3600.0
PATIENT = Retry(within=timedelta(hours=2), cap=timedelta(minutes=2))


def posting(**fields: object) -> Plan:
    return make_plan([Step("post", "send", inputs={"to": "#sales"}, **fields)])  # type: ignore[arg-type]


class Slack:
    """What the calls meet: nobody there while it is down; the first post may have been taken just before that."""

    def __init__(self, first: Play | None = None) -> None:
        self.first = first
        self.stage = Stage(self)

    def __call__(self, call: Call) -> Play:
        first, self.first = self.first, None
        if first is not None:
            return first
        down = self.stage.runner.receiver.away
        return fail(Kind.TRANSIENT, "not sent") if down and ".post." in call.id else succeed({"ok": True})

    def down(self, *, away: bool) -> None:
        self.stage.runner.receiver.away = away

    @property
    def arrived(self) -> int:
        return len(self.stage.runner.receiver.parcels)


def test_what_was_not_sent_waits_and_is_delivered_once() -> None:
    slack = Slack()
    slack.down(away=True)
    run = slack.stage.play(slack.stage.begin(posting(retry=PATIENT)), HOUR)
    assert (run.state, run.escalations, slack.arrived) == (RunState.WAITING, {}, 0)
    slack.down(away=False)
    assert slack.stage.play(run.id, HOUR).state is RunState.SUCCEEDED
    assert slack.arrived == 1


def test_an_answer_that_was_lost_right_before_is_no_question_to_a_person() -> None:
    slack = Slack(lose_answer())
    slack.down(away=True)
    run = slack.stage.play(slack.stage.begin(posting()), HOUR)
    assert (run.state, run.escalations, slack.arrived) == (RunState.WAITING, {}, 1)
    slack.down(away=False)
    assert slack.stage.play(run.id, HOUR).state is RunState.SUCCEEDED
    assert slack.arrived == 1


def test_a_daemon_that_is_restarted_meanwhile_goes_on_waiting() -> None:
    slack = Slack(lose_answer())
    slack.down(away=True)
    run = slack.stage.play(slack.stage.begin(posting()), HOUR / 2)
    slack.stage.restart()
    run = slack.stage.play(run.id, HOUR / 2)
    assert (run.state, run.escalations) == (RunState.WAITING, {})
    slack.down(away=False)
    assert slack.stage.play(run.id, HOUR).state is RunState.SUCCEEDED
    assert slack.arrived == 1


def test_past_the_time_that_the_step_gives_it_the_report_goes_another_way() -> None:
    slack = Slack()
    slack.down(away=True)
    post = Step("post", "send", inputs={"to": "#sales"}, retry=PATIENT, fallback="mail")
    run = slack.stage.play(slack.stage.begin(make_plan([post, Step("mail", "send", inputs={"to": "mail"})])))
    assert run.ended_at is not None
    assert run.started_at is not None
    assert timedelta(hours=1, minutes=55) < run.ended_at - run.started_at < timedelta(hours=2, minutes=1)
    assert run.state is RunState.DEGRADED
    assert [parcel.step for parcel in slack.stage.runner.receiver.parcels] == ["mail"]


def test_without_patience_the_run_ends_as_its_plan_says() -> None:
    slack = Slack()
    slack.down(away=True)
    run = slack.stage.play(slack.stage.begin(posting(on_exhausted=Exhausted.FAIL)), 60.0)
    assert (run.state, slack.arrived) == (RunState.FAILED, 0)


def test_what_may_have_arrived_never_goes_another_way_too() -> None:
    slack = Slack(lose_answer())
    slack.down(away=True)
    post = Step("post", "send", inputs={"to": "#sales"}, retry=PATIENT, fallback="mail")
    run = slack.stage.play(slack.stage.begin(make_plan([post, Step("mail", "send", inputs={"to": "mail"})])), 25 * HOUR)
    assert run.state is RunState.FAILED
    assert "it is not known whether post was delivered" in run.reason
    assert slack.arrived == 1
