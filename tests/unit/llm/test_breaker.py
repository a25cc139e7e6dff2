"""An endpoint that is down is left alone for a while; one that is slow once is not."""

from __future__ import annotations

import pytest

from daemon.adapters.llm.breaker import FAILURES, FIRST, LONGEST, Breaker
from daemon.adapters.llm.trouble import HOPELESS, Fault, Trouble, by_status, wait_of
from tests.unit.llm.scene import Ticking

SLOW = Trouble(Fault.TIMEOUT, "no answer")


@pytest.fixture
def clock() -> Ticking:
    return Ticking()


@pytest.fixture
def breaker(clock: Ticking) -> Breaker:
    return Breaker(clock.boot)


def test_it_opens_after_some_failures_in_a_row(breaker: Breaker) -> None:
    assert [breaker.failed(SLOW) for _ in range(FAILURES)] == [False, False, True]
    assert not breaker.admits()


def test_an_answer_in_between_starts_the_count_anew(breaker: Breaker) -> None:
    for _ in range(FAILURES - 1):
        breaker.failed(SLOW)
    breaker.answered()
    assert not breaker.failed(SLOW)
    assert breaker.admits()


@pytest.mark.parametrize("fault", sorted(HOPELESS))
def test_what_only_a_person_can_mend_opens_it_at_once(breaker: Breaker, fault: Fault) -> None:
    assert breaker.failed(Trouble(fault, "no"))


def test_after_the_pause_one_question_is_let_through(breaker: Breaker, clock: Ticking) -> None:
    breaker.failed(Trouble(Fault.AUTH, "no"))
    clock.seconds += FIRST
    assert [breaker.admits(), breaker.admits()] == [True, False]
    breaker.let_go()
    assert breaker.admits()


def test_each_pause_is_longer_up_to_a_limit(breaker: Breaker, clock: Ticking) -> None:
    for _ in range(12):
        breaker.failed(Trouble(Fault.AUTH, "no"))
        clock.seconds += LONGEST
        assert breaker.admits()
    breaker.failed(Trouble(Fault.AUTH, "no"))
    clock.seconds += LONGEST - 1
    assert not breaker.admits()


def test_a_long_wait_that_the_server_asks_for_is_kept(breaker: Breaker, clock: Ticking) -> None:
    assert breaker.failed(Trouble(Fault.RATE_LIMIT, "later", retry_after=300))
    clock.seconds += 299
    assert not breaker.admits()
    clock.seconds += 1
    assert breaker.admits()


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("7", 7), ("0", 0), ("-1", None), ("nan", None), ("inf", None), ("soon", None), ("", None)],
)
def test_retry_after_is_read_strictly(written: str, seconds: float | None) -> None:
    assert wait_of({"retry-after": written}) == seconds


def test_retry_after_may_be_a_date() -> None:
    assert wait_of({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


@pytest.mark.parametrize("body", [None, "text", [], {"error": "text"}, {"error": {"message": None}}, {"detail": 1}])
def test_any_body_of_an_error_can_be_read(body: object) -> None:
    assert by_status(429, body, {}).fault is Fault.RATE_LIMIT
