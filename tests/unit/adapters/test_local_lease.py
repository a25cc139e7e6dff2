"""A lease on one machine: who counts as alive, by clock, boot, process and process namespace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from daemon.adapters.sql import SqlStore, open_store
from daemon.adapters.sql.leases import Host, process_started, this_host


@dataclass
class Machine:
    """A machine whose clock and processes the test controls; `open` gives the store as one process sees it."""

    path: Path
    now: float = 100.0
    started: dict[int, int] = field(default_factory=lambda: {1: 11, 2: 22})
    stores: list[SqlStore] = field(default_factory=list)

    def open(self, pid: int, place: str = "boot-a/pids-a") -> SqlStore:
        store = open_store(self.path, host=Host(place, pid, lambda: self.now, self.started.get))
        self.stores.append(store)
        return store


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path / "state.db")
    yield made
    for store in made.stores:
        store.close()


def dies(machine: Machine) -> None:
    del machine.started[1]


def is_followed_by_another_with_its_pid(machine: Machine) -> None:
    machine.started[1] = 99


def runs_out(machine: Machine) -> None:
    machine.now += 60.0


@pytest.mark.parametrize("happens", [dies, is_followed_by_another_with_its_pid, runs_out])
def test_it_passes_on_when_its_owner(machine: Machine, happens: Callable[[Machine], None]) -> None:
    assert machine.open(1).lead("one", 60) == 1
    other = machine.open(2)
    assert other.lead("two", 60) is None
    happens(machine)
    assert other.lead("two", 60) == 2


def test_it_passes_on_after_a_reboot_although_the_clock_began_anew(machine: Machine) -> None:
    machine.open(1).lead("one", 60)
    machine.now = 1.0
    assert machine.open(2, "boot-b/pids-a").lead("two", 60) == 2


def test_of_another_process_namespace_only_the_clock_tells(machine: Machine) -> None:
    machine.open(1).lead("one", 60)
    dies(machine)
    other = machine.open(2, "boot-a/pids-b")
    assert other.lead("two", 60) is None
    runs_out(machine)
    assert other.lead("two", 60) == 2


def test_this_process_is_alive_and_a_pid_that_cannot_be_is_not() -> None:
    host = this_host()
    assert host.pid == os.getpid()
    assert host.started(host.pid) == process_started(os.getpid()) is not None
    assert host.started(2**22 + 1) is None
