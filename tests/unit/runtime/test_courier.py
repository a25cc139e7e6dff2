"""An alert on its way through the tool: what the tool is given, and what its answers mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from daemon.domain.errors import ClockwrightError, Kind
from daemon.domain.model import Failed, Purpose, Reconciled, Succeeded, Verdict
from daemon.domain.presses import Button
from daemon.domain.tool import ToolSpec
from daemon.ports import Call, Ended, Letter, LetterReceipt, Running
from daemon.runtime.courier import ASK_SECONDS, TOOL, ToolCourier
from daemon.runtime.launch import NotBegun
from daemon.runtime.recall import recall
from daemon.testing.memory_journal import MemoryJournal
from daemon.testing.memory_store import MemoryStore
from daemon.testing.stage import Stage
from daemon.testing.tools import make_tool

LETTER = Letter("#ops", "daily failed", "**daily** failed", ("U0123ABCD",), "1.5", (Button("Retry", "a", "{}"),))
OUTPUT = {"channel": "C1", "location": "https://example.slack.com/p1", "stamp": "1.5", "state": "delivered"}


@dataclass
class OneAnswer:
    """A ToolRunner that gives each call the same answer."""

    outcome: Succeeded | Failed | Reconciled
    calls: list[Call] = field(default_factory=list)

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        self.calls.append(call)
        on_end(Ended(self.outcome))
        return NotBegun()

    def close(self) -> None:
        """Nothing is open."""


def _tool() -> ToolSpec:
    return replace(make_tool(TOOL), secrets=("slack_token", "other"), optional_secrets=("other",))


def courier(outcome: Succeeded | Failed | Reconciled, **outside: object) -> tuple[ToolCourier, OneAnswer, Stage]:
    stage, runner = Stage(), OneAnswer(outcome)
    given = {"runner": runner, "tools": {TOOL: _tool()}, **outside}
    return ToolCourier(replace(stage.outside, **given)), runner, stage  # type: ignore[arg-type]


def only_the_token(name: str) -> str:
    if name != "slack_token":
        raise ClockwrightError(f"no secret {name!r} is configured")
    return f"secret of {name}"


def test_the_tool_gets_the_letter_its_key_and_its_secrets() -> None:
    sender, runner, stage = courier(Succeeded(OUTPUT, "delivered"), secret=only_the_token)
    until = stage.clock.now() + timedelta(seconds=30)
    assert sender.post(LETTER, "key-1", until) == LetterReceipt("C1", "1.5", "https://example.slack.com/p1")
    [call] = runner.calls
    assert (call.tool, call.effect_key, call.deadline, call.seconds) == (TOOL, "key-1", until, 30.0)
    assert call.input["buttons"][0]["action"] == "a"
    assert call.input["mentions"] == ["U0123ABCD"]
    assert call.secrets == {"slack_token": "secret of slack_token"}
    assert "secret of" not in repr(call)


def test_what_is_not_set_is_left_to_the_tool() -> None:
    sender, runner, stage = courier(Succeeded(OUTPUT, "delivered"))
    sender.post(Letter("#ops", "text", "markdown"), "key-1", stage.clock.now())
    assert set(runner.calls[0].input) == {"channel", "text", "markdown"}


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Reconciled(Verdict.FOUND, OUTPUT), LetterReceipt("C1", "1.5", "https://example.slack.com/p1")),
        (Reconciled(Verdict.NOT_FOUND), Reconciled(Verdict.NOT_FOUND)),
        (Failed(Kind.TRANSIENT, "down"), Failed(Kind.TRANSIENT, "down")),
    ],
)
def test_asking_goes_to_the_tools_own_reconcile(outcome: Reconciled | Failed, said: object) -> None:
    sender, runner, stage = courier(outcome)
    assert sender.ask(LETTER, "key-1") == said
    [call] = runner.calls
    assert call.purpose is Purpose.RECONCILE
    assert call.deadline - stage.clock.now() == timedelta(seconds=ASK_SECONDS), "the tool looks at its deadline"


def test_a_failure_is_passed_on() -> None:
    sender, _, stage = courier(Failed(Kind.DENIED, "invalid_auth"))
    assert sender.post(LETTER, "key-1", stage.clock.now()) == Failed(Kind.DENIED, "invalid_auth")


def test_a_secret_or_a_tool_that_is_missing_is_a_wrong_setting() -> None:
    def missing(name: str) -> str:
        raise ClockwrightError(f"no secret {name!r} is configured")

    outsides: list[dict[str, object]] = [{"secret": missing}, {"tools": {}}]
    for outside in outsides:
        sender, runner, stage = courier(Succeeded(OUTPUT, ""), **outside)
        failed = sender.post(LETTER, "key-1", stage.clock.now())
        assert isinstance(failed, Failed)
        assert failed.kind is Kind.MISCONFIGURED
        assert runner.calls == []


def restored(sender: ToolCourier, stage: Stage, journal: MemoryJournal) -> None:
    """The store is put back from before the message."""
    stage.store.restore(MemoryStore().backup())
    recall(replace(stage.outside, journal=journal))


@pytest.mark.parametrize(
    ("answer", "said", "purposes"),
    [
        (Reconciled(Verdict.FOUND, OUTPUT), LetterReceipt, [Purpose.RECONCILE]),
        (Reconciled(Verdict.NOT_FOUND), Failed, [Purpose.RECONCILE, Purpose.RUN]),
        (Reconciled(Verdict.CANNOT_TELL, reason="no scope"), Failed, [Purpose.RECONCILE]),
        (Failed(Kind.TRANSIENT, "503"), Failed, [Purpose.RECONCILE]),
    ],
)
def test_an_alert_that_a_store_which_was_put_back_has_forgotten_is_asked_about_before_it_is_sent(
    answer: Reconciled | Failed, said: type, purposes: list[Purpose]
) -> None:
    journal = MemoryJournal()
    sender, runner, stage = courier(Succeeded(OUTPUT, "delivered"), journal=journal)
    until = stage.clock.now() + timedelta(seconds=30)
    sender.post(LETTER, "key-1", until)
    restored(sender, stage, journal)
    runner.calls.clear()
    runner.outcome = answer

    outcome = sender.post(LETTER, "key-1", until + timedelta(hours=1))
    assert isinstance(outcome, said)
    assert [call.purpose for call in runner.calls] == purposes
    if isinstance(outcome, Failed) and Purpose.RUN not in purposes:
        assert outcome.kind is Kind.UNKNOWN_OUTCOME


def test_an_alert_that_failed_is_sent_again_without_a_question() -> None:
    journal = MemoryJournal()
    sender, runner, stage = courier(Failed(Kind.TRANSIENT, "503"), journal=journal)
    for hours in range(2):
        sender.post(LETTER, "key-1", stage.clock.now() + timedelta(hours=hours + 1))
        recall(replace(stage.outside, journal=journal))  # the daemon started anew meanwhile, over the same store
    assert [call.purpose for call in runner.calls] == [Purpose.RUN] * 2
    assert stage.sink.topics() == []
