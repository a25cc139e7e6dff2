"""Every event has words."""

from __future__ import annotations

from typing import get_args

import pytest

from daemon.domain import events, wording
from daemon.domain.errors import Kind
from daemon.domain.model import (
    Decision,
    Failed,
    Letter,
    Purpose,
    Reconciled,
    RunState,
    Succeeded,
    Verdict,
)
from daemon.domain.numbers import counted
from tests.builders import T0, a_question, an_attempt

DECIDED = Decision(Letter.B, "look", "the source is locked", "rule", Letter.B)
FAILED = Failed(Kind.TRANSIENT, "locked", "wait a little")
SAID: list[tuple[events.Event, str]] = [
    (events.RunStarted(T0), "started"),
    (events.RunClaimed(T0, "host/1", 2), "taken up by host/1"),
    (events.AttemptStarted(T0, "send", an_attempt()), "attempt 1"),
    (events.AttemptStarted(T0, "send", an_attempt(2, Purpose.RECONCILE)), "attempt 2: asking the receiver"),
    (events.AttemptEnded(T0, "send", 1, Succeeded({}, "3 rows")), "done: 3 rows"),
    (events.AttemptEnded(T0, "send", 1, FAILED), "attempt 1 failed: transient: locked (wait a little)"),
    (events.AttemptEnded(T0, "send", 2, Reconciled(Verdict.NOT_FOUND)), "the receiver says not found"),
    (events.RetryScheduled(T0, "send", T0), "tries again at 09:00:00Z"),
    (events.Paced(T0, "send", T0), "waits its turn at the destination until 09:00:00Z"),
    (events.GateOpened(T0, "send", "no marker by 11:00Z"), "waits no longer: no marker by 11:00Z"),
    (events.EffectAdopted(T0, "send", "key", {}, "sent"), "delivered before; nothing is sent: sent"),
    (events.Decided(T0, "send", DECIDED), "B by rule: the source is locked"),
    (events.Escalated(T0, a_question()), "asks: Send it again? [retry | skip | abort; abort at"),
    (events.Answered(T0, "ask-1", "retry", "anna"), "answered retry by anna"),
    (events.Answered(T0, "ask-1", "abort", "expiry"), "answered abort by nobody in time"),
    (events.StepSkipped(T0, "send", "query failed"), "skipped: query failed"),
    (events.StepFailed(T0, "send", FAILED, "locked"), "failed for good: locked"),
    (events.RunEnding(T0, RunState.CANCELLED, "cancelled by anna"), "ending as cancelled: cancelled by anna"),
    (events.RunEnded(T0, RunState.SUCCEEDED, ""), "succeeded"),
]


@pytest.mark.parametrize(("event", "said"), SAID)
def test_an_event_says_what_happened(event: events.Event, said: str) -> None:
    assert wording.tell(event).startswith(said)


def test_every_event_has_words() -> None:
    assert {type(event) for event, _ in SAID} == set(get_args(events.Event))


@pytest.mark.parametrize(("number", "words"), [(0, "0 jobs"), (1, "1 job"), (2, "2 jobs")])
def test_one_thing_is_not_many(number: int, words: str) -> None:
    assert counted(number, "job") == words
