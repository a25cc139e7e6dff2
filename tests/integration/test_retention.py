"""Old runs are forgotten; that they ran, and what they delivered, is not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.adapters.artifacts import LocalArtifacts
from daemon.adapters.sql import SqlQueries, SqlStore, open_store
from daemon.adapters.sql.attic import SqlAttic
from daemon.domain.events import AttemptEnded, RunEnded
from daemon.domain.model import Run, RunState, StepState, Succeeded
from daemon.domain.plan import Step
from daemon.ports import EffectState
from daemon.runtime.plans import Plans
from daemon.runtime.tidy import Forgotten, forget, sweep
from daemon.testing.tools import make_job, make_plan
from tests.builders import T0, a_birth, a_change, a_run, a_start, an_attempt

STORES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
JOB = replace(make_job(make_plan([]), None), id="daily", retention=timedelta(days=90))


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlStore]:
    where = request.getfixturevalue("postgres") if request.param == "postgresql" else tmp_path / "state.db"
    opened = open_store(where)
    yield opened
    opened.close()


def delivered(store: SqlStore, number: int, days_ago: int) -> Run:
    """A run that ended so many days before T0, with a receipt under a key of its own."""
    at = T0 - timedelta(days=days_ago)
    run = a_run(f"run-{number}", at=at)
    store.create([a_birth(run)])
    run = store.load(run.id)
    started = a_start(run, attempt=an_attempt(key=f"key-{number}"))
    store.commit(started)
    done = replace(started.after.steps["send"], state=StepState.DONE, attempt=None)
    came = AttemptEnded(at, "send", 1, Succeeded({"ok": True}, "sent"))
    ended = (came, RunEnded(at, RunState.SUCCEEDED, ""))
    change = a_change(started.after, *ended, step=done, state=RunState.SUCCEEDED, ended_at=at)
    store.commit(change)
    return change.after


def test_only_what_ended_before_the_jobs_retention_is_forgotten(store: SqlStore) -> None:
    for number, days in enumerate((200, 91, 89, 0)):
        delivered(store, number, days)
    attic = SqlAttic(store.database)
    expected = [Forgotten("daily", 2, T0 - timedelta(days=90))]
    assert list(forget(attic, [JOB], T0, dry_run=True)) == expected
    assert list(forget(attic, [JOB], T0)) == expected
    assert list(forget(attic, [JOB], T0)) == []
    assert [row.id for row in SqlQueries(store.database).runs()] == ["run-3", "run-2"]


def test_what_is_forgotten_leaves_its_ledger_row_and_its_receipt(store: SqlStore) -> None:
    run = delivered(store, 1, 200)
    list(forget(SqlAttic(store.database), [JOB], T0))
    queries = SqlQueries(store.database)
    assert len(queries.ledger("daily", run.instant, run.instant + timedelta(seconds=1))) == 1
    receipt = store.effect("key-1")
    assert receipt is not None
    assert (receipt.state, receipt.output) == (EffectState.DELIVERED, {"ok": True})
    assert queries.events(run.id) == []
    assert store.create([a_birth(run)]) == [False]


def test_a_plan_is_forgotten_once_neither_a_run_nor_a_job_has_it(store: SqlStore) -> None:
    attic, plans = SqlAttic(store.database), Plans(store)
    followed, needed, spare = (make_plan([Step(name, "look")]) for name in ("a", "b", "c"))
    plans.keep_all([followed, needed, spare])
    store.create([a_birth(replace(a_run(), plan=followed.digest))])
    assert plans.prune(attic, {needed.digest}) == 0, "its run may be about to be stored"
    assert plans.prune(attic, {needed.digest}) == 1
    with pytest.raises(KeyError):
        store.load_plan(spare.digest)
    plans.keep(spare)
    assert Plans(store).get(spare.digest) == spare, "whoever needs it again stores it again"
    assert [Plans(store).get(plan.digest) for plan in (followed, needed)] == [followed, needed]


def test_a_run_that_has_not_ended_is_never_old_enough(store: SqlStore) -> None:
    store.create([a_birth(a_run(at=T0 - timedelta(days=500)))])
    assert list(forget(SqlAttic(store.database), [JOB], T0)) == []


def test_more_than_fit_in_one_transaction_go_all_the_same() -> None:
    class Counting:
        left = 450

        def count(self, *_: object) -> int:
            return self.left

        def prune(self, _job: str, _before: object, most: int) -> int:
            gone = min(most, self.left)
            self.left -= gone
            return gone

        def unfollowed(self) -> Set[str]:
            return frozenset()

        def drop(self, _plans: Set[str]) -> int:
            return 0

    assert [one.runs for one in forget(Counting(), [JOB], T0)] == [450]


def size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def test_history_grows_by_the_step_and_at_most_three_kilobytes_each(tmp_path: Path) -> None:
    """1 KB outputs; measured on the file after the log is folded in, in two halves that must agree."""
    path = tmp_path / "state.db"
    sizes = []
    for half in range(3):
        store = open_store(path)
        for number in range(half * 100, half * 100 + 100):
            three_steps(store, number)
        store.close()
        sizes.append(size(path))
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    assert second / 300 <= 3 * 1024
    assert 0.7 < second / first < 1.3


def three_steps(store: SqlStore, number: int) -> None:
    run = a_run(f"run-{number}", at=T0 + timedelta(minutes=number))
    store.create([a_birth(run)])
    run = store.load(run.id)
    output = {"text": "x" * 1000}
    for step in run.steps:
        started = a_start(run, step)
        store.commit(started)
        done = replace(started.after.steps[step], state=StepState.DONE, attempt=None, output=output)
        change = a_change(started.after, AttemptEnded(T0, step, 1, Succeeded(output, "done")), step=done)
        store.commit(change)
        run = change.after
    store.commit(a_change(run, RunEnded(T0, RunState.SUCCEEDED, ""), state=RunState.SUCCEEDED, ended_at=T0))


def test_files_older_than_any_run_that_may_name_them_are_deleted_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path / "artifacts", tmp_path / "work")
    orphan, used, fresh = (artifacts.put(text) for text in (b"orphan", b"used", b"fresh"))
    long_ago = (datetime.now(UTC) - timedelta(days=200)).timestamp()
    for digest in (orphan, used):
        os.utime(artifacts.path(digest), (long_ago, long_ago))
    artifacts.put(b"used")

    assert sweep(artifacts, [JOB], datetime.now(UTC)) == 1
    assert [artifacts.path(digest).exists() for digest in (orphan, used, fresh)] == [False, True, True]
