"""What every Store and its Queries promise: in memory, on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Barrier, Thread

import pytest

from daemon.domain.chain import Link, Success
from daemon.domain.codec import to_plain
from daemon.domain.deed import Deed
from daemon.domain.errors import Kind
from daemon.domain.events import (
    Answered,
    AttemptEnded,
    AttemptStarted,
    EffectAdopted,
    Escalated,
    RunClaimed,
    RunEnded,
    RunStarted,
)
from daemon.domain.job import Disposition
from daemon.domain.model import Failed, Purpose, Reconciled, Run, RunState, StepState, Succeeded, Verdict
from daemon.domain.pause import Pause
from daemon.domain.plan import Step
from daemon.domain.revision import Revision
from daemon.domain.schedule import Gap, Schedule
from daemon.ports import (
    Accounted,
    AlreadyDelivered,
    Birth,
    Change,
    EffectRow,
    EffectState,
    Followed,
    Message,
    MessageKind,
    Queries,
    Stale,
    Store,
    StoreError,
)
from daemon.testing.tools import make_plan
from tests.builders import (
    T0,
    a_birth,
    a_change,
    a_ledger_row,
    a_question,
    a_run,
    a_start,
    after,
    an_attempt,
    next_run,
)
from tests.stores import Kit, in_memory, on_postgres, on_sqlite

KINDS = ["memory", "memory-strict", "sqlite", pytest.param("postgres", marks=pytest.mark.slow)]


@pytest.fixture(params=KINDS)
def kit(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kit]:
    makers: dict[str, Callable[[], Kit]] = {
        "memory": lambda: in_memory(strict=False),
        "memory-strict": lambda: in_memory(strict=True),
        "sqlite": lambda: on_sqlite(tmp_path / "state.db"),
        "postgres": lambda: on_postgres(request.getfixturevalue("postgres")),
    }
    made = makers[request.param]()
    yield made
    made.store.close()


@pytest.fixture
def store(kit: Kit) -> Store:
    return kit.store


@pytest.fixture
def queries(kit: Kit) -> Queries:
    return kit.queries


class TestCreate:
    def test_a_stored_run_is_loaded_as_it_was(self, store: Store) -> None:
        birth = a_birth(a_run(), RunStarted(T0))
        assert store.create([birth]) == [True]
        assert store.load("run-1") == birth.run

    def test_steps_come_back_in_the_order_of_the_plan(self, store: Store) -> None:
        store.create([a_birth(a_run())])
        assert list(store.load("run-1").steps) == ["query", "report", "send"]

    def test_the_same_occurrence_is_never_born_twice(self, store: Store) -> None:
        assert store.create([a_birth(a_run()), a_birth(a_run("run-2"))]) == [True, False]
        assert store.create([a_birth(a_run("run-3"))]) == [False]
        with pytest.raises(KeyError):
            store.load("run-2")

    def test_a_request_is_another_revision_without_a_ledger_row(self, store: Store, queries: Queries) -> None:
        store.create([a_birth(a_run())])
        assert store.create([Birth(a_run("run-2", revision=2))]) == [True]
        assert [row.run for row in queries.ledger("daily", T0, after(1))] == ["run-1"]

    def test_an_occurrence_that_was_accounted_for_gets_no_run(self, store: Store, queries: Queries) -> None:
        skipped = replace(a_ledger_row(a_run(), Disposition.SKIPPED_PAUSED), run=None)
        store.create([], [skipped])
        assert store.create([a_birth(a_run())]) == [False]
        assert queries.ledger("daily", T0, after(1)) == [skipped]

    def test_an_occurrence_that_a_person_ran_early_is_accounted_for_all_the_same(
        self, store: Store, queries: Queries
    ) -> None:
        store.create([Birth(a_run())])
        assert store.create([a_birth(a_run())]) == [False]
        assert [row.disposition for row in queries.ledger("daily", T0, after(1))] == [Disposition.STARTED]

    def test_a_birth_stores_what_it_started_already(self, store: Store, queries: Queries) -> None:
        started = a_start(a_run(), attempt=an_attempt(key="key-1"))
        store.create([Birth(started.after, started.events)], owner="me")
        assert queries.events("run-1") == list(started.events)
        assert [row.state for row in queries.effects("run-1")] == [EffectState.INTENT]

    def test_everything_in_one_call_or_nothing(self, store: Store) -> None:
        _deliver(store, "run-1", "key-1")
        other = a_run("run-3", job="other")
        second = a_start(a_run("run-2", job="weekly"), attempt=an_attempt(key="key-1"))
        with pytest.raises(AlreadyDelivered):
            store.create([Birth(other), Birth(second.after, second.events)])
        with pytest.raises(KeyError):
            store.load("run-3")

    def test_the_newest_revision_of_an_instant_is_found(self, store: Store) -> None:
        store.create([a_birth(a_run()), Birth(a_run("run-3", revision=3)), Birth(a_run("run-2", revision=2))])
        found = store.latest("daily", T0)
        assert found is not None
        assert found.id == "run-3"
        assert store.latest("daily", after(1)) is None


class TestLedger:
    def test_a_disposition_is_final(self, store: Store, queries: Queries) -> None:
        store.create([], [a_ledger_row(a_run(), Disposition.SKIPPED_CALENDAR)])
        store.create([], [a_ledger_row(a_run(), Disposition.MISSED_EXPIRED)])
        rows = queries.ledger("daily", T0, after(1))
        assert [row.disposition for row in rows] == [Disposition.SKIPPED_CALENDAR]

    def test_a_stretch_of_the_ledger_is_half_open_and_in_order(self, store: Store, queries: Queries) -> None:
        runs = [a_run(f"run-{n}", at=after(60 * n)) for n in (2, 0, 1, 3)]
        store.create([], [a_ledger_row(run) for run in runs])
        assert [row.run for row in queries.ledger("daily", T0, after(180))] == ["run-0", "run-1", "run-2"]

    def test_a_watermark_only_rises(self, store: Store) -> None:
        store.create([], watermarks={"daily": after(60), "weekly": T0})
        store.create([], watermarks={"daily": T0, "weekly": after(1)})
        assert store.watermarks() == {"daily": after(60), "weekly": after(1)}


class TestClaim:
    def test_a_claim_opens_the_next_epoch(self, store: Store) -> None:
        store.create([a_birth(a_run())])
        claimed = store.claim("run-1", "me")
        assert (claimed.epoch, claimed.version) == (1, 1)
        assert store.load("run-1") == claimed

    def test_the_earlier_owner_cannot_commit(self, store: Store) -> None:
        store.create([a_birth(a_run())])
        mine = store.claim("run-1", "me")
        theirs = store.claim("run-1", "you")
        with pytest.raises(Stale):
            store.commit(a_change(mine, RunClaimed(T0, "me", 1)))
        store.commit(a_change(theirs, RunClaimed(T0, "you", 2)))

    def test_an_ended_run_is_nobodys(self, store: Store) -> None:
        store.create([a_birth(a_run())])
        _end(store, "run-1")
        with pytest.raises(Stale):
            store.claim("run-1", "me")

    def test_an_unknown_run_is_a_key_error(self, store: Store) -> None:
        with pytest.raises(KeyError):
            store.claim("nobody", "me")


class TestCommit:
    def test_what_is_committed_is_loaded(self, store: Store) -> None:
        run = _claimed(store)
        change = a_start(run, "query")
        store.commit(change)
        assert store.load("run-1") == change.after

    def test_two_changes_from_one_version_do_not_both_get_in(self, store: Store) -> None:
        run = _claimed(store)
        store.commit(a_start(run, "query"))
        with pytest.raises(Stale):
            store.commit(a_start(run, "send"))
        assert store.load("run-1").steps["send"].attempt is None

    def test_a_refused_change_leaves_nothing_behind(self, store: Store, queries: Queries) -> None:
        run = _claimed(store)
        old = replace(run, epoch=run.epoch - 1)
        with pytest.raises(Stale):
            store.commit(a_start(old, attempt=an_attempt(key="key-1")))
        assert (queries.events("run-1"), store.effect("key-1")) == ([], None)

    def test_a_change_of_an_unknown_run_is_stale(self, store: Store) -> None:
        with pytest.raises(Stale):
            store.commit(a_start(a_run("nobody")))

    def test_events_are_kept_in_order(self, store: Store, queries: Queries) -> None:
        run = _claimed(store)
        first = a_change(run, RunStarted(T0), RunClaimed(T0, "me", 1))
        store.commit(first)
        second = a_start(first.after, "query")
        store.commit(second)
        assert queries.events("run-1") == [*first.events, *second.events]

    def test_an_output_is_kept_once_and_its_event_holds_a_digest(self, store: Store, queries: Queries) -> None:
        change = a_start(_claimed(store), "query")
        store.commit(change)
        _finish(store, change, Succeeded({"rows": "x" * 1000}, "1 row"))
        ended = queries.events("run-1")[-1]
        assert isinstance(ended, AttemptEnded)
        assert isinstance(ended.outcome, Succeeded)
        assert list(ended.outcome.output) == ["$digest"]
        assert store.load("run-1").steps["query"].output == {"rows": "x" * 1000}

    def test_text_of_any_script_survives(self, store: Store, queries: Queries) -> None:
        words = "naïve 日本語 🙂 \0 \u2028 'quoted' %s :name"
        run = _claimed(store)
        step = replace(run.steps["query"], output={words: [words, 1.5, None, True, 2**70]}, summary=words)
        store.commit(a_change(run, RunEnded(T0, RunState.FAILED, words), step=step, reason=words))
        assert store.load("run-1").steps["query"] == step
        assert queries.events("run-1") == [RunEnded(T0, RunState.FAILED, words)]
        assert len(queries.runs()) == 1

    def test_instants_keep_their_microseconds(self, store: Store) -> None:
        at = T0 + timedelta(microseconds=123_457)
        store.create([a_birth(a_run(at=at))])
        assert store.load("run-1").instant == at
        assert store.latest("daily", at) is not None

    def test_neighbours_on_other_threads_do_not_hurt_each_other(self, store: Store) -> None:
        runs = [_claimed(store, f"run-{n}", revision=n) for n in range(8)]
        stale = a_start(replace(runs[0], epoch=0))
        changes = [a_start(run, "query") for run in runs] + [stale] * 4
        outcomes = _together(store, changes)
        assert sum(outcome is None for outcome in outcomes) == 8
        assert all(store.load(change.after.id) == change.after for change in changes[:8])


class TestDue:
    def test_a_queued_run_is_due_for_anyone(self, store: Store) -> None:
        store.create([a_birth(a_run())], owner="me")
        assert store.due(T0, "me", 10) == ["run-1"]

    def test_a_running_run_is_due_only_for_others(self, store: Store) -> None:
        store.commit(a_start(_claimed(store)))
        assert store.due(T0, "me", 10) == []
        assert store.due(T0, "you", 10) == ["run-1"]

    def test_a_waiting_run_is_due_at_its_time(self, store: Store) -> None:
        _back_off(store, _claimed(store), until=60)
        assert store.due(after(59), "me", 10) == []
        assert store.due(after(60), "me", 10) == ["run-1"]
        assert store.next_wake() == after(60)

    def test_the_longest_due_come_first(self, store: Store) -> None:
        for n, seconds in enumerate((30, 10, 20)):
            _back_off(store, _claimed(store, f"run-{n}", revision=n), until=seconds)
        assert store.due(after(60), "me", 10) == ["run-1", "run-2", "run-0"]
        assert store.due(after(60), "me", 2) == ["run-1", "run-2"]
        assert store.next_wake() == after(10)
        assert store.next_wake({"run-1"}) == after(20)
        assert store.next_wake({"run-0", "run-1", "run-2"}) is None

    def test_an_open_question_wakes_its_run_when_it_expires(self, store: Store) -> None:
        asked = a_question()
        store.commit(_asking(_claimed(store)))
        assert store.next_wake() == asked.expires_at

    def test_an_ended_run_is_never_due(self, store: Store) -> None:
        store.create([a_birth(a_run())])
        _end(store, "run-1")
        store.post(Message("run-1", MessageKind.CANCEL, "ann", T0))
        assert store.due(after(9999), "you", 10) == []
        assert store.next_wake() is None


class TestMessages:
    def test_an_unread_message_makes_its_run_due_until_it_is_folded(self, store: Store) -> None:
        run = _running(store)
        number = store.post(Message("run-1", MessageKind.CANCEL, "ann", T0))
        assert store.due(T0, "me", 10) == ["run-1"]
        store.commit(replace(a_change(run), folded=(number,)))
        assert store.due(T0, "me", 10) == []
        assert store.messages("run-1") == []

    def test_messages_come_back_oldest_first_with_their_ids(self, store: Store) -> None:
        _running(store)
        said = [Message("run-1", MessageKind.ANSWER, name, T0, {"option": "skip"}) for name in ("ann", "bob")]
        ids = [store.post(message) for message in said]
        assert store.messages("run-1") == [replace(m, id=n) for m, n in zip(said, ids, strict=True)]
        assert ids[0] < ids[1]

    def test_a_stale_change_folds_nothing(self, store: Store) -> None:
        run = _running(store)
        number = store.post(Message("run-1", MessageKind.CANCEL, "ann", T0))
        with pytest.raises(Stale):
            store.commit(Change(run, next_run(run, epoch=9), (), (number,)))
        assert [message.id for message in store.messages("run-1")] == [number]


class TestEffects:
    def test_an_attempt_with_a_key_leaves_its_intent(self, store: Store) -> None:
        store.commit(a_start(_claimed(store), attempt=an_attempt(key="key-1")))
        row = store.effect("key-1")
        assert row is not None
        assert (row.state, row.run, row.step, row.attempt) == (EffectState.INTENT, "run-1", "send", 1)
        assert row.deadline == after(60)

    def test_a_success_is_a_receipt(self, store: Store) -> None:
        _deliver(store, "run-1", "key-1")
        row = store.effect("key-1")
        assert row is not None
        assert (row.state, row.output, row.summary) == (EffectState.DELIVERED, {"ts": "1"}, "sent")

    def test_a_clean_failure_voids_the_intent(self, store: Store) -> None:
        change = a_start(_claimed(store), attempt=an_attempt(key="key-1"))
        store.commit(change)
        _finish(store, change, Failed(Kind.DENIED, "no such channel"))
        assert _state(store) is EffectState.VOID

    def test_an_unknown_outcome_keeps_the_intent(self, store: Store) -> None:
        _unknown(store)
        assert _state(store) is EffectState.INTENT

    @pytest.mark.parametrize(
        ("verdict", "settled", "state"),
        [
            (Verdict.FOUND, True, EffectState.DELIVERED),
            (Verdict.NOT_FOUND, True, EffectState.VOID),
            (Verdict.NOT_FOUND, False, EffectState.INTENT),
            (Verdict.PARTIAL, True, EffectState.INTENT),
            (Verdict.CANNOT_TELL, False, EffectState.INTENT),
        ],
    )
    def test_what_the_receiver_says(self, store: Store, verdict: Verdict, settled: bool, state: EffectState) -> None:
        asking = a_start(_unknown(store), attempt=an_attempt(2, Purpose.RECONCILE, "key-1"))
        store.commit(asking)
        step = asking.after.steps["send"]
        answered = replace(step, attempt=None, unknown=None if settled else step.unknown)
        event = AttemptEnded(T0, "send", 2, Reconciled(verdict, {"ts": "1"}, "found"))
        store.commit(a_change(asking.after, event, step=answered))
        assert _state(store) is state

    def test_a_late_result_of_an_earlier_attempt_is_no_receipt(self, store: Store) -> None:
        change = a_start(_claimed(store), attempt=an_attempt(2, key="key-1"))
        store.commit(change)
        store.commit(a_change(change.after, AttemptEnded(T0, "send", 1, Succeeded(None, "sent"))))
        assert _state(store) is EffectState.INTENT

    def test_a_person_may_confirm_a_delivery(self, store: Store) -> None:
        asking = _asking(_unknown(store))
        store.commit(asking)
        answer = Answered(T0, "ask-1", "delivered", "ann")
        store.commit(a_change(asking.after, answer, escalations={}))
        assert _state(store) is EffectState.DELIVERED

    def test_a_delivered_key_takes_no_new_intent(self, store: Store) -> None:
        _deliver(store, "run-1", "key-1")
        run = _claimed(store, "run-2", revision=2)
        with pytest.raises(AlreadyDelivered):
            store.commit(a_start(run, attempt=an_attempt(key="key-1")))
        assert store.load("run-2") == run

    def test_a_voided_key_may_be_tried_again(self, store: Store) -> None:
        change = a_start(_claimed(store), attempt=an_attempt(key="key-1"))
        store.commit(change)
        failed = _finish(store, change, Failed(Kind.TRANSIENT, "503"))
        store.commit(a_start(failed, attempt=an_attempt(2, key="key-1")))
        assert _state(store) is EffectState.INTENT

    def test_a_key_that_another_run_may_be_delivering_takes_no_new_intent(self, store: Store) -> None:
        store.commit(a_start(_claimed(store), attempt=an_attempt(key="key-1")))
        run = _claimed(store, "run-2", revision=2)
        with pytest.raises(AlreadyDelivered):
            store.commit(a_start(run, attempt=an_attempt(key="key-1")))
        assert store.load("run-2") == run

    def test_who_sends_nothing_may_take_over_what_another_run_may_have_delivered(self, store: Store) -> None:
        store.commit(a_start(_claimed(store), attempt=an_attempt(key="key-1")))
        run, attempt = _claimed(store, "run-2", revision=2), an_attempt(key="key-1")
        unknown = Failed(Kind.UNKNOWN_OUTCOME, "another run may have delivered this")
        events = (AttemptStarted(T0, "send", attempt), AttemptEnded(T0, "send", 1, unknown))
        in_doubt = replace(run.steps["send"], state=StepState.RUNNING, started=1, unknown=attempt, failure=unknown)
        store.commit(a_change(run, *events, step=in_doubt))
        row = store.effect("key-1")
        assert row is not None
        assert (row.state, row.run) == (EffectState.INTENT, "run-2")

    def test_what_another_run_means_to_do_is_not_void_because_this_one_came_to_nothing(self, store: Store) -> None:
        first = a_start(_claimed(store), attempt=an_attempt(key="key-1"))
        store.commit(first)
        run, attempt = _claimed(store, "run-2", revision=2), an_attempt(key="key-1")
        unknown = Failed(Kind.UNKNOWN_OUTCOME, "another run may have delivered this")
        events = (AttemptStarted(T0, "send", attempt), AttemptEnded(T0, "send", 1, unknown))
        in_doubt = replace(run.steps["send"], state=StepState.RUNNING, started=1, unknown=attempt, failure=unknown)
        store.commit(a_change(run, *events, step=in_doubt))
        _finish(store, first, Failed(Kind.TRANSIENT, "503"))
        assert _state(store) is EffectState.INTENT

    def test_what_the_store_knows_nothing_of_is_remembered_as_meant(self, store: Store) -> None:
        _deliver(store, "run-1", "delivered")
        voided = a_start(_claimed(store, "run-2", revision=2), attempt=an_attempt(key="voided"))
        store.commit(voided)
        _finish(store, voided, Failed(Kind.TRANSIENT, "503"))
        store.commit(a_start(_claimed(store, "run-3", revision=3), attempt=an_attempt(key="meant")))
        keys = ("delivered", "voided", "meant", "new")
        rows = [EffectRow(key, EffectState.INTENT, "before", "send", 1, after(60)) for key in keys]

        assert store.remember(rows) == 1, "of all but the new one it knows this very attempt"
        assert store.remember([replace(row, deadline=after(30)) for row in rows]) == 1, "the void one may be another's"
        assert store.remember([replace(row, deadline=after(90)) for row in rows]) == 3, "all but what was delivered"
        found = [row for key in keys if (row := store.effect(key))]
        assert [row.state for row in found] == [EffectState.DELIVERED, *[EffectState.INTENT] * 3]
        assert {row.deadline for row in found[1:]} == {after(90)}

    def test_an_adopted_receipt_changes_no_effect(self, store: Store, queries: Queries) -> None:
        _deliver(store, "run-1", "key-1")
        run = _claimed(store, "run-2", revision=2)
        store.commit(a_change(run, EffectAdopted(T0, "send", "key-1", {"ts": "1"}, "sent")))
        assert [row.run for row in queries.effects("run-1")] == ["run-1"]


class TestEscalations:
    def test_an_asked_question_is_listed_until_it_is_answered(self, store: Store, queries: Queries) -> None:
        asking = _asking(_claimed(store))
        store.commit(asking)
        (row,) = queries.escalations()
        assert (row.id, row.run, row.job, row.step, row.options) == (
            "ask-1",
            "run-1",
            "daily",
            "send",
            ("retry", "skip", "abort"),
        )
        store.commit(a_change(asking.after, Answered(T0, "ask-1", "skip", "ann"), escalations={}))
        assert queries.escalations() == []
        assert [row.id for row in queries.escalations(include_closed=True)] == ["ask-1"]

    def test_a_question_closes_with_its_run(self, store: Store, queries: Queries) -> None:
        asking = _asking(_claimed(store))
        store.commit(asking)
        _end(store, "run-1")
        assert queries.escalations() == []

    def test_what_was_decided_comes_latest_first_whoever_decided(self, store: Store, queries: Queries) -> None:
        for n, (by, seconds) in enumerate((("ann", 40), ("expiry", 50), ("", 0))):
            asking = _asking(_claimed(store, f"run-{n}", revision=n), n)
            store.commit(asking)
            if by:
                answer = Answered(after(seconds), "ask-1", "skip", by)
                store.commit(a_change(asking.after, answer, escalations={}))
        assert [(row.run, row.closed_by, row.option) for row in queries.decided()] == [
            ("run-1", "expiry", "skip"),
            ("run-0", "ann", "skip"),
        ]
        assert [row.run for row in queries.decided(1)] == ["run-1"]

    def test_questions_come_oldest_first(self, store: Store, queries: Queries) -> None:
        for n, seconds in enumerate((30, 10, 20)):
            store.commit(_asking(_claimed(store, f"run-{n}", revision=n), seconds))
        assert [row.run for row in queries.escalations()] == ["run-1", "run-2", "run-0"]


class TestPlans:
    def test_a_plan_is_kept_under_its_digest(self, store: Store) -> None:
        store.save_plans({"digest": {"steps": [{"id": "query", "with": {"limit": 1.5}}]}})
        store.save_plan("digest", {"steps": [{"id": "query", "with": {"limit": 1.5}}]})
        assert store.load_plan("digest") == {"steps": [{"id": "query", "with": {"limit": 1.5}}]}

    def test_an_unknown_plan_is_a_key_error(self, store: Store) -> None:
        with pytest.raises(KeyError):
            store.load_plan("digest")


class TestLease:
    def test_one_owner_leads_and_may_renew(self, store: Store) -> None:
        assert [store.lead("me", 60), store.lead("you", 60), store.lead("me", 60)] == [1, None, 1]

    def test_a_lapsed_lease_passes_on_under_the_next_epoch(self, kit: Kit) -> None:
        kit.store.lead("me", 60)
        kit.lapse()
        assert kit.store.lead("you", 60) == 2
        assert kit.store.lead("me", 60) is None

    def test_an_owner_who_was_only_late_keeps_the_epoch(self, kit: Kit) -> None:
        kit.store.lead("me", 60)
        kit.lapse()
        assert kit.store.lead("me", 60) == 1

    def test_a_resigned_lease_is_free_at_once(self, store: Store) -> None:
        store.lead("me", 60)
        store.resign("you")
        assert store.lead("you", 60) is None
        store.resign("me")
        assert store.lead("you", 60) == 2

    def test_who_lost_the_lease_can_neither_fire_nor_claim(self, kit: Kit) -> None:
        fence = kit.store.lead("me", 60)
        assert fence == 1
        assert kit.store.create([a_birth(a_run())], fence=fence) == [True]
        kit.lapse()
        kit.store.lead("you", 60)
        with pytest.raises(Stale):
            kit.store.create([a_birth(a_run("run-2", revision=2))], fence=fence)
        with pytest.raises(Stale):
            kit.store.claim("run-1", "me", fence=fence)
        assert kit.store.claim("run-1", "you", fence=2).epoch == 1


class TestQueries:
    def test_runs_come_newest_first_and_can_be_picked(self, store: Store, queries: Queries) -> None:
        for n in range(3):
            store.create([a_birth(a_run(f"run-{n}", job=f"job-{n % 2}", at=after(n)))])
        _end(store, "run-2")
        assert [row.id for row in queries.runs()] == ["run-2", "run-1", "run-0"]
        assert [row.id for row in queries.runs(job="job-0", limit=1)] == ["run-2"]
        assert [row.id for row in queries.runs(state=RunState.QUEUED)] == ["run-1", "run-0"]

    def test_a_line_says_what_the_run_was_and_how_it_ended(self, store: Store, queries: Queries) -> None:
        store.create([a_birth(a_run(cause="manual"))])
        _end(store, "run-1", reason="no such table")
        (row,) = queries.runs()
        assert (row.date, row.cause, row.state, row.reason) == (
            "2026-02-28",
            "manual",
            RunState.FAILED,
            "no such table",
        )
        assert (row.instant, row.queued_at, row.started_at, row.ended_at) == (T0, T0, None, after(5))

    def test_of_an_unknown_run_there_is_nothing(self, queries: Queries) -> None:
        assert (queries.events("nobody"), queries.effects("nobody")) == ([], [])


def _claimed(store: Store, name: str = "run-1", revision: int = 1) -> Run:
    store.create([Birth(a_run(name, revision=revision))])
    return store.claim(name, "me")


def _running(store: Store) -> Run:
    change = a_start(_claimed(store), "query")
    store.commit(change)
    return change.after


def _finish(store: Store, start: Change, outcome: Succeeded | Failed) -> Run:
    (step,) = (step for step in start.after.steps.values() if step.attempt)
    state, output = (StepState.DONE, outcome.output) if isinstance(outcome, Succeeded) else (step.state, None)
    ended = AttemptEnded(after(5), step.step, step.started, outcome)
    change = a_change(start.after, ended, step=replace(step, attempt=None, state=state, output=output))
    store.commit(change)
    return change.after


def _deliver(store: Store, run: str, key: str) -> None:
    change = a_start(_claimed(store, run), attempt=an_attempt(key=key))
    store.commit(change)
    _finish(store, change, Succeeded({"ts": "1"}, "sent"))


def _unknown(store: Store) -> Run:
    """A run whose send timed out."""
    start = a_start(_claimed(store), attempt=an_attempt(key="key-1"))
    store.commit(start)
    step = start.after.steps["send"]
    in_doubt = replace(step, attempt=None, unknown=step.attempt)
    change = a_change(start.after, AttemptEnded(T0, "send", 1, Failed(Kind.TIMEOUT, "60 s")), step=in_doubt)
    store.commit(change)
    return change.after


def _back_off(store: Store, run: Run, until: float) -> None:
    waiting = replace(run.steps["query"], state=StepState.RUNNING, wake_at=after(until))
    store.commit(a_change(run, step=waiting, state=RunState.WAITING))


def _asking(run: Run, seconds: float = 0) -> Change:
    asked = a_question(asked=after(seconds))
    return a_change(run, Escalated(T0, asked), state=RunState.WAITING, escalations={asked.id: asked})


def _end(store: Store, run_id: str, reason: str = "aborted") -> None:
    run = store.load(run_id)
    ended = RunEnded(after(5), RunState.FAILED, reason)
    store.commit(a_change(run, ended, state=RunState.FAILED, reason=reason, ended_at=after(5), escalations={}))


def _state(store: Store) -> EffectState:
    row = store.effect("key-1")
    assert row is not None
    return row.state


def _together(store: Store, changes: Sequence[Change]) -> list[StoreError | None]:
    """Commit all at the same time, each on a thread of its own."""
    barrier = Barrier(len(changes))
    outcomes: list[StoreError | None] = []

    def commit(change: Change) -> None:
        barrier.wait()
        try:
            store.commit(change)
        except Stale as error:
            outcomes.append(error)
        else:
            outcomes.append(None)

    threads = [Thread(target=commit, args=(change,)) for change in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


BERLIN = Schedule("0 10 * * *", "Europe/Berlin", gap=Gap.SKIP)
PAUSE = Pause("daily", T0, "ada", "the source is moved", after(60))


class TestTimetables:
    def test_the_schedules_of_a_job_come_back_in_order_with_its_watermark(self, store: Store) -> None:
        later, first = Revision("daily", after(60), None), Revision("daily", T0, BERLIN)
        store.revise([later, first, Revision("other", T0, BERLIN)], {"daily": T0})
        assert store.revisions("daily") == [first, later]
        assert len(store.revisions()) == 3
        assert store.watermarks() == {"daily": T0}

    def test_a_schedule_that_is_there_already_stays(self, store: Store) -> None:
        store.revise([Revision("daily", T0, BERLIN)])
        store.revise([Revision("daily", T0, None)])
        assert store.revisions() == [Revision("daily", T0, BERLIN)]

    def test_whoever_lost_the_lease_cannot_revise(self, kit: Kit) -> None:
        fence = kit.store.lead("first", 10) or 0
        kit.lapse()
        kit.store.lead("second", 10)
        with pytest.raises(Stale):
            kit.store.revise([Revision("daily", T0, BERLIN)], fence=fence)
        assert kit.store.revisions() == []

    def test_a_pause_lasts_until_it_is_ended(self, store: Store) -> None:
        store.pause(PAUSE)
        assert store.pauses() == [PAUSE]
        assert store.resume("daily", after(1), "grace")
        assert not store.resume("daily", after(2), "grace")
        assert store.pauses() == []

    def test_a_new_pause_takes_the_place_of_the_old_one(self, store: Store) -> None:
        store.pause(PAUSE)
        store.pause(replace(PAUSE, since=after(5), why="still"))
        assert [pause.why for pause in store.pauses()] == ["still"]

    def test_it_is_known_what_of_a_job_goes_on(self, store: Store) -> None:
        store.create([Birth(a_run()), Birth(a_run("dry", at=after(5), cause="dry run", job="daily"))])
        activity = store.activity(["daily"], after(-1))
        assert activity.running_since == {"daily": T0}
        assert activity.made == {("daily", T0): "run-1"}
        assert store.activity(["daily"], T0).made == {}
        assert store.activity(["other"], after(-1)).made == {}

    def test_the_row_that_stands_for_an_instant_is_found(self, store: Store, queries: Queries) -> None:
        row = replace(a_ledger_row(a_run()), run=None, since=after(-3600), evidence={"into": "later"})
        store.create([], [row])
        assert queries.ledger_after("daily", after(-60)) == row
        assert queries.ledger_after("daily", after(1)) is None


class TestDeeds:
    def test_the_audit_log_is_read_newest_first(self, store: Store, queries: Queries) -> None:
        deeds = [Deed(after(n), "ada", "cli", "pause", job=f"job-{n}", detail="why\x00") for n in range(3)]
        for deed in deeds:
            store.note(deed)
        assert [deed.job for deed in queries.deeds(2)] == ["job-2", "job-1"]
        assert [deed.job for deed in queries.deeds(before=after(1))] == ["job-0"]

    def test_a_run_is_stored_with_what_asked_for_it_once_for_a_key(self, store: Store, queries: Queries) -> None:
        first, second = (Deed(T0, "ada", "api", "run", "daily", f"run-{n}", key="k") for n in (1, 2))
        assert store.create([Birth(a_run("run-1"), deed=first)]) == [True]
        assert store.create([Birth(a_run("run-2", at=after(1)), deed=second)]) == [False]
        store.note(second)
        assert (store.deed("k"), store.deed("other")) == (first, None)
        assert queries.deeds() == [first]
        assert [row.id for row in queries.runs()] == ["run-1"]

    def test_a_run_that_is_not_new_leaves_no_deed(self, store: Store, queries: Queries) -> None:
        store.create([Birth(a_run())])
        assert store.create([Birth(a_run(), deed=Deed(T0, "ada", "api", "run"))]) == [False]
        assert queries.deeds() == []


class TestPageQueries:
    def test_the_newest_runs_of_each_job(self, store: Store, queries: Queries) -> None:
        runs = [a_run(f"{job}-{n}", job=job, at=after(n), reason="why") for job in ("one", "two") for n in range(3)]
        ended = [replace(run, state=RunState.FAILED) if run.id == "two-2" else run for run in runs]
        store.create([Birth(run) for run in ended])
        recent = queries.recent(["two", "one", "none"], 2)
        assert {job: found.states for job, found in recent.items()} == {
            "one": (RunState.QUEUED, RunState.QUEUED),
            "two": (RunState.FAILED, RunState.QUEUED),
            "none": (),
        }
        assert recent["one"].unfinished == tuple(queries.runs("one", limit=2))
        assert (recent["two"].last, recent["two"].unfinished) == (queries.runs("two")[0], (queries.runs("two")[1],))
        assert recent["none"].last is None

    def test_runs_are_paged_by_the_last_one_seen(self, store: Store, queries: Queries) -> None:
        store.create([Birth(a_run(f"run-{n}", job=f"job-{n}")) for n in range(5)])
        first = [row.id for row in queries.runs(limit=2)]
        assert (first, [row.id for row in queries.runs(limit=2, before="run-3")]) == (
            ["run-4", "run-3"],
            ["run-2", "run-1"],
        )
        assert queries.runs(before="nothing") == []

    def test_the_ledger_in_short_says_how_each_run_stands(self, store: Store, queries: Queries) -> None:
        run = a_run()
        skipped = replace(a_ledger_row(a_run("later", at=after(60)), Disposition.SKIPPED_PAUSED), run=None)
        store.create([a_birth(run)], [skipped])
        assert queries.accounted("daily", T0, 10) == [
            Accounted(after(60), Disposition.SKIPPED_PAUSED, None, None),
            Accounted(T0, Disposition.STARTED, run.id, RunState.QUEUED),
        ]
        assert len(queries.accounted("daily", T0, 1)) == 1
        assert len(queries.accounted("daily", after(1), 10)) == 1

    def test_a_run_and_its_plan_are_read(self, store: Store, queries: Queries) -> None:
        plan = make_plan((Step("fetch", "look"),))
        store.save_plan(plan.digest, to_plain(plan))
        store.create([Birth(a_run())])
        assert (queries.run("run-1"), queries.plan(plan.digest)) == (store.load("run-1"), plan)
        for read in (queries.run, queries.plan):
            with pytest.raises(KeyError):
                read("nothing")

    def test_watermarks_and_pauses_are_read(self, store: Store, queries: Queries) -> None:
        store.create([], watermarks={"daily": T0})
        store.pause(PAUSE)
        assert (queries.watermarks(), queries.pauses()) == ({"daily": T0}, [PAUSE])


class TestFollowed:
    """Successes of one job that the ledger of another one says nothing of."""

    LINK = Link("daily", T0 - timedelta(days=1))

    @staticmethod
    def succeed(store: Store, run_id: str, revision: int = 1, *, minutes: float = 1, state: str = "succeeded") -> Run:
        run = a_run(run_id, revision=revision)
        store.create([Birth(run)])
        at = T0 + timedelta(minutes=minutes)
        ended = RunEnded(at, RunState(state), "")
        done = replace(next_run(run), state=RunState(state), ended_at=at)
        store.commit(Change(run, done, (ended,)))
        return done

    def test_a_success_is_owed_with_its_data_date(self, store: Store) -> None:
        run = self.succeed(store, "run-1")
        [owed] = store.followed("tell", self.LINK, None, frozenset()).owed
        assert owed == Success("run-1", run.instant, run.ended_at or T0, run.data)

    @pytest.mark.parametrize("state", ["failed", "degraded", "cancelled"])
    def test_nothing_else_is(self, store: Store, state: str) -> None:
        self.succeed(store, "run-1", state=state)
        assert store.followed("tell", self.LINK, None, frozenset()) == Followed([], frozenset())

    def test_what_has_not_ended_is_named(self, store: Store) -> None:
        store.create([Birth(a_run())])
        assert store.followed("tell", self.LINK, None, frozenset()) == Followed([], frozenset({"run-1"}))

    def test_a_row_of_the_follower_settles_it(self, store: Store) -> None:
        run = self.succeed(store, "run-1")
        row = a_ledger_row(run, Disposition.SKIPPED_PAUSED)
        store.create([], [replace(row, run=None, occurrence=replace(row.occurrence, job="tell"))])
        assert store.followed("tell", self.LINK, None, frozenset()).owed == []

    def test_only_what_succeeded_within_the_link_counts(self, store: Store) -> None:
        self.succeed(store, "run-1", minutes=5)
        late, early = Link("daily", after(5 * 60)), Link("daily", T0, after(4 * 60))
        just = Link("daily", after(4 * 60), after(5 * 60))
        found = [len(store.followed("tell", link, None, frozenset()).owed) for link in (late, early, just)]
        assert found == [0, 0, 1]

    def test_what_was_due_within_the_link_counts_although_the_clock_was_set_back(self, store: Store) -> None:
        run = self.succeed(store, "run-1", minutes=-30)
        assert run.ended_at is not None
        assert run.ended_at < T0
        before, late = Link("daily", T0 - timedelta(minutes=10)), Link("daily", T0 + timedelta(minutes=10))
        assert len(store.followed("tell", before, None, frozenset()).owed) == 1
        assert store.followed("tell", late, None, frozenset()).owed == []
        assert len(store.followed("tell", late, None, frozenset({"run-1"})).owed) == 1

    def test_a_look_at_what_is_new_takes_in_what_was_unfinished_before(self, store: Store) -> None:
        self.succeed(store, "run-1")
        later = T0 + timedelta(hours=1)
        assert store.followed("tell", self.LINK, later, frozenset()).owed == []
        assert len(store.followed("tell", self.LINK, later, frozenset({"run-1"})).owed) == 1
        assert len(store.followed("tell", self.LINK, T0 - timedelta(hours=1), frozenset()).owed) == 1
