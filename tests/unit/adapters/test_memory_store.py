"""The seam for crashes of the store in memory; everything else is in the suite for every store."""

from __future__ import annotations

import pytest

from daemon.ports import Birth, Stale
from daemon.testing.memory_store import MemoryStore
from tests.builders import a_run, a_start


class Crash(Exception):
    """The process is gone."""


def crash(name: str) -> None:
    raise Crash(name)


@pytest.fixture
def store() -> MemoryStore:
    made = MemoryStore()
    made.create([Birth(a_run())])
    return made


def test_a_crash_before_the_commit_leaves_what_was_there(store: MemoryStore) -> None:
    run = store.claim("run-1", "me")
    store.before_commit = crash
    with pytest.raises(Crash, match="commit"):
        store.commit(a_start(run))
    assert store.load("run-1") == run


def test_a_crash_after_the_commit_loses_only_the_answer(store: MemoryStore) -> None:
    change = a_start(store.claim("run-1", "me"))
    store.after_commit = crash
    with pytest.raises(Crash, match="commit"):
        store.commit(change)
    assert store.load("run-1") == change.after


def test_a_refused_change_never_gets_as_far_as_after_the_commit(store: MemoryStore) -> None:
    store.after_commit = crash
    with pytest.raises(Stale):
        store.commit(a_start(a_run(epoch=7)))


def test_the_hooks_hear_which_method_writes(store: MemoryStore) -> None:
    heard: list[str] = []
    store.before_commit = heard.append
    store.lead("me", 60)
    store.save_plan("digest", {})
    store.resign("me")
    assert heard == ["lead", "save_plan", "resign"]


def test_an_owner_who_has_died_no_longer_leads() -> None:
    living = {"one", "two"}
    store = MemoryStore(alive=living.__contains__)
    store.lead("one", 3600)
    assert store.lead("two", 60) is None
    living.remove("one")
    assert store.lead("two", 60) == 2
