from __future__ import annotations

import threading
from datetime import datetime
from pathlib import Path

import pytest

from daemon.adapters.doorbell import Attended, Doorbell
from tests.builders import T0


@pytest.fixture
def bell(tmp_path: Path) -> Doorbell:
    return Doorbell(tmp_path / "doorbell")


def test_a_ring_is_heard(bell: Doorbell) -> None:
    heard = threading.Event()
    bell.listen(heard.set)
    assert bell.ring()
    assert heard.wait(5)
    bell.close()


def test_nobody_listens_is_no_error(bell: Doorbell) -> None:
    assert not bell.ring()


def test_after_it_was_closed_nobody_listens(bell: Doorbell) -> None:
    bell.listen(lambda: None)
    bell.close()
    assert not bell.ring()


def test_where_there_can_be_no_fifo_nothing_happens(tmp_path: Path) -> None:
    bell = Doorbell(tmp_path / "missing" / "doorbell")
    bell.listen(lambda: None)
    assert not bell.ring()
    bell.close()


class Duty:
    """Says what it was told to do."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def lead(self) -> bool:
        return True

    def take_over(self) -> None:
        self.told.append("take over")

    def take_up(self) -> None:
        self.told.append("take up")

    def tick(self) -> datetime:
        return T0

    def stand_down(self) -> None:
        self.told.append("stand down")


def test_the_bell_is_heard_only_while_the_duty_leads(bell: Doorbell) -> None:
    duty, heard = Duty(), threading.Event()
    attended = Attended(duty, bell, heard.set)
    attended.take_over()
    assert bell.ring()
    assert heard.wait(5)
    attended.stand_down()
    assert not bell.ring()
    assert duty.told == ["take over", "stand down"]


def test_whoever_stops_listening_does_not_wait_for_another_listener_to_let_it(tmp_path: Path) -> None:
    """Two listen for a moment, where one was frozen and another took over: what one hears the other may have taken."""
    bells = [Doorbell(tmp_path / "bell") for _ in range(2)]
    for _ in range(50):
        for bell in bells:
            bell.listen(lambda: None)
        for bell in bells:
            bell.close()
    assert not any(thread.name == "doorbell" for thread in threading.enumerate())
