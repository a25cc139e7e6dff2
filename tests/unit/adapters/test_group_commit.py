"""Group commit: one flush for all that wait, nobody told before it, nobody hurt by a neighbour."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from threading import Event, Thread
from time import perf_counter

import pytest

from daemon.adapters.sql.group_commit import GroupCommit
from daemon.ports import Stale, StoreUnavailable

Work = Callable[[list[str]], str]


class Tape:
    """`Transactions` that writes down what happens; the first `begin` waits for `go`, so that a batch gathers."""

    def __init__(self, failing: tuple[str, ...] = ()) -> None:
        self.log: list[str] = []
        self.failing = failing
        self.began, self.go = Event(), Event()

    def begin(self) -> list[str]:
        self.began.set()
        self._note("begin")
        assert self.go.wait(10)
        return self.log

    def commit(self) -> None:
        self._note("commit")

    def rollback(self) -> None:
        self._note("rollback")

    def abandon(self) -> None:
        self.log.append("abandon")

    def savepoint(self) -> None:
        self._note("savepoint")

    def release(self) -> None:
        self._note("release")

    def undo(self) -> None:
        self._note("undo")

    def _note(self, step: str) -> None:
        self.log.append(step)
        if step in self.failing:
            raise StoreUnavailable(step)


def write(name: str) -> Work:
    def work(log: list[str]) -> str:
        log.append(name)
        return name

    return work


def refuse(log: list[str]) -> str:
    raise Stale("no")


def gathered(tape: Tape, works: list[Work], most: int = 64) -> list[str | Exception]:
    """How each came out, when the first leads and the rest gather behind it, in order."""
    group = GroupCommit(tape, most)
    outcomes: dict[int, str | Exception] = {}

    def run(number: int) -> None:
        try:
            outcomes[number] = group.run(works[number])
        except (Stale, StoreUnavailable) as error:
            outcomes[number] = error

    threads = [Thread(target=run, args=(number,)) for number in range(len(works))]
    for number, thread in enumerate(threads):
        thread.start()
        tape.began.wait(10)
        while group.waiting < number and thread.is_alive():
            thread.join(0.001)
    tape.go.set()
    for thread in threads:
        thread.join()
    return [outcomes[number] for number in range(len(works))]


def test_a_unit_alone_needs_no_savepoint() -> None:
    tape = Tape()
    assert gathered(tape, [write("a")]) == ["a"]
    assert tape.log == ["begin", "a", "commit"]


def test_a_unit_alone_that_fails_is_rolled_back() -> None:
    tape = Tape()
    (outcome,) = gathered(tape, [refuse])
    assert isinstance(outcome, Stale)
    assert tape.log == ["begin", "rollback"]


def test_those_who_come_before_the_commit_share_it() -> None:
    tape = Tape()
    assert gathered(tape, [write("a"), write("b"), write("c")]) == ["a", "b", "c"]
    assert tape.log == ["begin", "a", "savepoint", "b", "release", "savepoint", "c", "release", "commit"]


def test_a_batch_is_bounded() -> None:
    tape = Tape()
    assert gathered(tape, [write("a"), write("b"), write("c")], most=2) == ["a", "b", "c"]
    assert tape.log == ["begin", "a", "savepoint", "b", "release", "commit", "begin", "c", "commit"]


def one_more(group: GroupCommit[list[str]], name: str) -> Thread:
    """Queued behind those that wait already."""
    before = group.waiting
    thread = Thread(target=group.run, args=(write(name),))
    thread.start()
    while group.waiting == before and thread.is_alive():
        thread.join(0.001)
    return thread


def test_who_wrote_together_is_waited_for() -> None:
    tape, seconds = Tape(), count(step=100)
    group = GroupCommit(tape, longest_wait=60, clock=lambda: float(next(seconds)))
    threads = [Thread(target=group.run, args=(write("a"),))]
    threads[0].start()
    tape.began.wait(10)
    threads.append(one_more(group, "b"))
    tape.go.set()
    for thread in threads:
        thread.join()
    tape.log.clear()
    threads = [one_more(group, "c")]
    assert tape.log == []
    threads.append(one_more(group, "d"))
    for thread in threads:
        thread.join()
    assert tape.log == ["begin", "c", "savepoint", "d", "release", "commit"]


def test_who_writes_alone_waits_for_nobody() -> None:
    tape, seconds = Tape(), count(step=100)
    tape.go.set()
    group = GroupCommit(tape, longest_wait=60, clock=lambda: float(next(seconds)))
    start = perf_counter()
    assert [group.run(write(name)) for name in "abc"] == ["a", "b", "c"]
    assert perf_counter() - start < 30


def test_a_unit_that_fails_does_not_hurt_its_neighbours() -> None:
    tape = Tape()
    outcomes = gathered(tape, [write("a"), refuse, write("b")])
    assert (outcomes[0], outcomes[2]) == ("a", "b")
    assert isinstance(outcomes[1], Stale)
    assert tape.log == ["begin", "a", "savepoint", "undo", "release", "savepoint", "b", "release", "commit"]


def test_a_leader_that_fails_does_not_hurt_those_who_wait() -> None:
    tape = Tape()
    outcomes = gathered(tape, [refuse, write("a"), write("b")])
    assert isinstance(outcomes[0], Stale)
    assert outcomes[1:] == ["a", "b"]
    assert tape.log == ["begin", "rollback", "begin", "a", "savepoint", "b", "release", "commit"]


@pytest.mark.parametrize("step", ["begin", "savepoint", "release", "commit"])
def test_when_the_transaction_is_lost_nobody_is_told_that_it_is_stored(step: str) -> None:
    tape = Tape(failing=(step,))
    outcomes = gathered(tape, [write("a"), write("b"), write("c")])
    assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes[:2])
    assert "abandon" in tape.log


def test_a_commit_that_fails_overrules_what_a_unit_came_to() -> None:
    outcomes = gathered(Tape(failing=("commit",)), [write("a"), refuse, write("b")])
    assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes)


def test_a_writer_who_is_interrupted_leaves_the_lead_to_the_next() -> None:
    tape = Tape()
    tape.go.set()
    group = GroupCommit(tape)

    def interrupted(log: list[str]) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        group.run(interrupted)
    assert group.run(write("a")) == "a"
