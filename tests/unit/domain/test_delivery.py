"""What became of a delivery, from the state of its run."""

from __future__ import annotations

import pytest

from daemon.domain.delivery import DeliveryState, deliveries
from daemon.domain.errors import Kind
from daemon.domain.events import Event, RetryScheduled, RunEnded, RunEnding, StepFailed, StepSkipped
from daemon.domain.model import Failed, Purpose, Reconciled, RunState, Succeeded, Verdict
from tests.unit.domain.lives import at, begun, ended, failed, live, one_step

PLAN = one_step(use="send")
LINK = "https://example.slack.com/p1"
DOWN = Failed(Kind.TRANSIENT, "nobody is there")
CASES: dict[str, tuple[list[Event], DeliveryState, str, str]] = {
    "not begun": ([], DeliveryState.AWAITED, "", ""),
    "on its way": ([begun()], DeliveryState.AWAITED, "", ""),
    "waits": ([*failed(Kind.TRANSIENT), RetryScheduled(at(1), "s", at(9))], DeliveryState.AWAITED, "", "m"),
    "arrived": ([begun(), ended(Succeeded({"location": LINK}, "sent"))], DeliveryState.DELIVERED, LINK, ""),
    "arrived in part": (
        [begun(), ended(Succeeded({"location": LINK, "state": "degraded", "reason": "no chart"}, "sent"))],
        DeliveryState.DEGRADED,
        LINK,
        "no chart",
    ),
    "arrived nowhere in particular": ([begun(), ended(Succeeded({}, "sent"))], DeliveryState.DELIVERED, "", "sent"),
    "may have arrived": (failed(Kind.TIMEOUT), DeliveryState.UNKNOWN, "", "m"),
    "may have arrived, and nobody is there": (
        [*failed(Kind.TIMEOUT), begun(2, Purpose.RECONCILE), ended(DOWN, 2, 90), RetryScheduled(at(90), "s", at(95))],
        DeliveryState.UNKNOWN,
        "",
        "nobody is there",
    ),
    "found": (
        [*failed(Kind.TIMEOUT), begun(2, Purpose.RECONCILE), ended(Reconciled(Verdict.FOUND, {"location": LINK}), 2)],
        DeliveryState.DELIVERED,
        LINK,
        "",
    ),
    "skipped": ([StepSkipped(at(1), "s", "skipped by ada")], DeliveryState.SKIPPED, "", "skipped by ada"),
    "failed": (
        [*failed(Kind.DENIED), StepFailed(at(2), "s", DOWN, "no such channel")],
        DeliveryState.FAILED,
        "",
        "no such channel",
    ),
    "cancelled before": (
        [RunEnding(at(1), RunState.CANCELLED, "by ada"), RunEnded(at(2), RunState.CANCELLED, "by ada")],
        DeliveryState.SKIPPED,
        "",
        "by ada",
    ),
    "over, and not known": (
        [*failed(Kind.TIMEOUT), RunEnding(at(1), RunState.FAILED, "x"), RunEnded(at(2), RunState.FAILED, "x")],
        DeliveryState.UNKNOWN,
        "",
        "m",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_became_of_it(case: tuple[list[Event], DeliveryState, str, str]) -> None:
    events, state, where, reason = case
    [delivery] = deliveries(PLAN, live(PLAN, events))
    assert (delivery.state, delivery.where, delivery.reason) == (state, where, reason)


def test_a_run_that_awaits_its_delivery_waits_and_says_until_when() -> None:
    run = live(PLAN, CASES["waits"][0])
    [delivery] = deliveries(PLAN, run)
    assert run.state is RunState.WAITING
    assert delivery.document == {
        "step": "s",
        "state": "awaited",
        "where": "",
        "reason": "m",
        "until": at(9).isoformat(),
    }


def test_only_what_goes_out_is_a_delivery() -> None:
    plan = one_step()
    assert list(deliveries(plan, live(plan))) == []
