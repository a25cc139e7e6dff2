"""What every AlertBook promises: in memory, on SQLite and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from daemon.domain.alerts import Alert, State, Subject, Topic, Trouble, closed, raised
from daemon.domain.events import Decided, RunEnded, RunStarted
from daemon.domain.job import Disposition
from daemon.domain.model import Decision, Letter, RunState
from daemon.domain.severity import Severity
from daemon.domain.telling import Telling, What, arrived, began
from daemon.ports import AlertBook, Stale, Store
from tests.builders import T0, a_birth, a_change, a_ledger_row, a_question, a_run, after
from tests.contract.test_store import kit, store
from tests.stores import Kit

__all__ = ["kit", "store"]


@pytest.fixture
def book(kit: Kit) -> AlertBook:
    return kit.alerts


def an_alert(source: str = "run/1/ended", **values: object) -> Alert:
    trouble = Trouble(source, Topic.FAILED, T0, "daily failed", "no connection", "nothing", **values)  # type: ignore[arg-type]
    return raised([], trouble, timedelta(0))


def _ended(store: Store, name: str, state: RunState, at: float, **values: Any) -> None:
    run = a_run(name, **values)
    store.create([a_birth(run, RunStarted(T0))])
    run = store.load(name)
    end = RunEnded(after(at), state, "why")
    change = a_change(run, end, state=state, ended_at=after(at), reason="why")
    store.commit(change)


class TestAlerts:
    def test_an_alert_comes_back_as_it_was(self, book: AlertBook) -> None:
        asked = Trouble(
            "asked",
            Topic.ASKED,
            T0,
            "text",
            "cause",
            "next",
            Severity.CRITICAL,
            Subject("daily", "ada", "https://example.com", ("finance",)),
            question=a_question(),
        )
        alert = began(raised([], asked, timedelta(0)), "key", after(30))
        book.save([alert], {"asked": T0})
        assert book.active() == [alert]

    def test_a_later_version_takes_its_place(self, book: AlertBook) -> None:
        alert = an_alert()
        book.save([alert], {})
        again = replace(alert, count=2)
        book.save([again], {})
        assert book.active() == [again]

    def test_one_of_which_all_is_told_is_not_active_any_more(self, book: AlertBook) -> None:
        told = arrived(an_alert(), Telling(What.OPENED, T0), T0, "slack")
        shut = closed(told, after(5), "recovered")
        book.save([shut], {})
        assert book.active() == [shut]
        book.save([arrived(shut, Telling(What.CLOSED, after(5)), after(6), "slack")], {})
        assert book.active() == []

    def test_a_source_is_known_from_then_on(self, book: AlertBook) -> None:
        assert book.newest() is None
        book.save([], {"a": T0, "b": after(9)})
        book.save([], {"a": after(5)})
        assert book.known(["a", "c"]) == frozenset({"a"})
        assert book.newest() == after(9)

    def test_what_is_old_and_finished_is_forgotten(self, book: AlertBook) -> None:
        shut = closed(an_alert(), T0, "recovered")
        book.save([shut, an_alert("other", step="send")], {"a": T0, "b": after(60)})
        book.forget(after(30))
        assert [alert.state for alert in book.active()] == [State.OPEN]
        assert book.known(["a", "b"]) == frozenset({"b"})

    def test_who_has_lost_the_lease_writes_nothing(self, book: AlertBook, store: Store, kit: Kit) -> None:
        fence = store.lead("me", 15.0)
        kit.lapse()
        store.lead("you", 15.0)
        with pytest.raises(Stale):
            book.save([an_alert()], {"a": T0}, fence=fence or 0)
        assert book.active() == []
        assert not book.known(["a"])


class TestNews:
    def test_runs_that_ended_since_oldest_first_without_dry_runs(self, book: AlertBook, store: Store) -> None:
        _ended(store, "run-2", RunState.SUCCEEDED, 20, job="b")
        _ended(store, "run-1", RunState.FAILED, 10, job="a")
        _ended(store, "run-0", RunState.FAILED, 5, job="c")
        _ended(store, "run-3", RunState.FAILED, 30, job="d", cause="dry run", dry_run=True)
        found = book.news(after(5), 10).ended
        assert [(row.id, row.state, row.reason) for row in found] == [
            ("run-1", RunState.FAILED, "why"),
            ("run-2", RunState.SUCCEEDED, "why"),
        ]

    def test_news_say_how_far_they_go_where_there_is_more(self, book: AlertBook, store: Store) -> None:
        for number in range(3):
            _ended(store, f"run-{number}", RunState.SUCCEEDED, number + 1, job=f"job-{number}")
        found = book.news(T0, 2)
        assert ([row.id for row in found.ended], found.until) == (["run-0", "run-1"], after(2))
        assert book.news(T0, 4).until is None

    def test_due_instants_that_got_no_run_although_they_should_have(self, book: AlertBook, store: Store) -> None:
        missed = replace(a_ledger_row(a_run(), Disposition.MISSED_EXPIRED), run=None, recorded_at=after(3))
        paused = replace(a_ledger_row(a_run(job="other"), Disposition.SKIPPED_PAUSED), run=None, recorded_at=after(3))
        store.create([], [missed, paused])
        assert book.news(T0, 10).unstarted == [missed]
        assert book.news(after(3), 10).unstarted == []

    def test_what_decisions_cost(self, book: AlertBook, store: Store) -> None:
        decided = Decided(T0, "query", Decision(Letter.A, "tool", "fine", "model", Letter.A, cost="0.012"))
        store.create([a_birth(a_run(), RunStarted(T0), decided)])
        assert book.spent(["run-1", "run-9"]) == ["0.012"]


def test_a_message_is_replied_to_when_it_is_read(store: Store) -> None:
    from daemon.ports import Message, MessageKind

    store.create([a_birth(a_run())])
    posted = [store.post(Message("run-1", MessageKind.ANSWER, "ada", T0)) for _ in range(2)]
    assert [store.reply(one) for one in posted] == [None, None]
    run = store.load("run-1")
    store.commit(replace(a_change(run), folded=tuple(posted), replies={posted[1]: "decided by ada already"}))
    assert [store.reply(one) for one in posted] == ["", "decided by ada already"]
