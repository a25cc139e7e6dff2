"""The loop of a serving daemon over a real SQLite file that is in trouble: it lives, says so once, and recovers."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from daemon.adapters.intent_journal import IntentJournal
from daemon.adapters.sql import SqlStore, open_store
from daemon.adapters.sql.migrations import REVISIONS
from daemon.domain.plan import Step
from daemon.ports import Birth
from daemon.runtime.custody import QUARANTINE
from daemon.runtime.duty import Service
from daemon.runtime.loop import Loop
from daemon.runtime.plans import Plans
from daemon.runtime.scheduler import Scheduler
from daemon.testing.inline_executor import InlineExecutor
from daemon.testing.stage import Stage
from daemon.testing.tools import ZONE_DATA, make_job, make_plan, make_run
from tests.integration.test_sql_store import file_limit, unprivileged

pytestmark = pytest.mark.slow
HOURLY = make_job(make_plan([Step("a", "look"), Step("post", "send", needs=("a",), inputs={"to": "#a"})], job="hourly"))
ASKED = make_plan([Step("a", "look")], job="asked")


class Serving:
    """The real loop, scheduler and store; only the clock and the tools are not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.store: SqlStore = open_store(path, busy_seconds=0.001)
        self._stage = Stage()
        self.clock, self.said = self._stage.clock, self._stage.sink
        journal = IntentJournal(path.with_name("intents.log"), self.clock)
        outside, plans = replace(self._stage.outside, store=self.store, journal=journal), Plans(self.store)
        executor = InlineExecutor(outside, plans, self.clock)
        jobs = {HOURLY.id: HOURLY}
        self._plans = plans
        self._service = Service(outside, executor, Scheduler(outside, plans, executor, jobs, ZONE_DATA))
        self._loop = Loop(self.clock, self.said, self._stage)  # type: ignore[arg-type]  # it never sleeps here

    def ask_for_a_run(self) -> None:
        self._plans.keep(ASKED)
        self.store.create([Birth(make_run(ASKED, self.clock.now()))])

    def turn(self) -> timedelta:
        """One turn of the loop, and what is in flight after it; how long it would sleep."""
        until: datetime = self._loop.turn(self._service)
        slept = until - self.clock.now()
        self.clock.advance(1)
        return slept

    def pass_time(self, seconds: float) -> None:
        for _ in range(int(seconds // 10)):
            self.clock.advance(9)
            self.turn()

    def ends(self) -> dict[str, int]:
        with by_hand(self.path) as rows:
            return dict(rows.execute("SELECT job || ' ' || state, count(*) FROM runs GROUP BY 1").fetchall())

    def troubles(self) -> list[str]:
        """What was said of the store, each up to its first colon or bracket."""
        said = [notice.message for notice in self.said.notices if notice.topic == "store_trouble"]
        return [re.split(r" \(|: ", message)[0] for message in said]

    @property
    def arrived(self) -> int:
        """Messages at the receiver, which takes a key as often as it is sent."""
        return len(self._stage.runner.receiver.parcels)

    def close(self) -> None:
        self.store.close()


def by_hand(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    made = Serving(tmp_path / "state.db")
    made.turn()
    yield made
    made.close()


@pytest.mark.parametrize("damage", ["'{'", "replace(body, '\"format\":1', '\"format\":99')"], ids=["corrupt", "newer"])
def test_a_run_that_cannot_be_read_is_left_alone_said_once_and_taken_up_once_it_is_mended(
    serving: Serving, damage: str
) -> None:
    serving.ask_for_a_run()
    with by_hand(serving.path) as rows:
        [[whole]] = rows.execute("SELECT body FROM runs").fetchall()
        rows.execute(f"UPDATE runs SET body = {damage}")
        serving.pass_time(300)
        assert serving.said.topics().count("run_quarantined") == 1
        assert serving.turn() > timedelta(seconds=1)

        serving.pass_time(3600)
        assert serving.ends() == {"asked queued": 1, "hourly succeeded": 1}
        rows.execute("UPDATE runs SET body = ? WHERE job = 'asked'", [whole])

    serving.pass_time(QUARANTINE + 20)
    assert serving.ends()["asked succeeded"] == 1


def test_a_locked_store_is_said_once_and_what_was_due_meanwhile_runs_once_it_is_free(serving: Serving) -> None:
    with by_hand(serving.path) as other:
        other.execute("BEGIN IMMEDIATE")
        serving.pass_time(3700)
        assert serving.said.topics() == ["serving", "store_trouble"]
        other.execute("ROLLBACK")
    serving.pass_time(60)

    assert serving.ends() == {"hourly succeeded": 1}
    assert serving.said.topics()[-1] == "store_recovered"


def test_a_full_disk_is_said_once_and_nothing_that_was_due_is_lost(serving: Serving) -> None:
    with file_limit(4096):
        serving.pass_time(3700)
        assert serving.said.topics() == ["serving", "store_trouble"]
    serving.pass_time(60)

    assert serving.ends() == {"hourly succeeded": 1}
    assert serving.said.topics()[-1] == "store_recovered"


def test_a_file_that_a_newer_version_has_changed_is_left_alone_said_once_and_used_again_once_it_is_put_back(
    serving: Serving,
) -> None:
    with by_hand(serving.path) as rows:
        rows.execute("UPDATE alembic_version SET version_num = '9999'")
        serving.pass_time(3700)
        assert serving.troubles() == ["the database is of revision 9999, which this version does not know"]
        assert rows.execute("SELECT count(*) FROM runs").fetchall() == [(0,)]
        rows.execute("UPDATE alembic_version SET version_num = ?", [REVISIONS[-1]])
    serving.pass_time(60)

    assert serving.ends() == {"hourly succeeded": 1}
    assert serving.said.topics()[-1] == "store_recovered"


def test_a_store_that_was_put_back_read_only_is_said_once_and_nothing_that_was_due_is_lost() -> None:
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        with unprivileged():
            (state := Path(folder) / "state").mkdir()
            serving = Serving(state / "state.db")
            serving.turn()
            put_back(serving.path, mode=0o444)
            state.chmod(0o555)
            serving.pass_time(3700)
            replaced, refused = serving.troubles()
            assert ("was replaced" in replaced, "read" in refused) == (True, True)
            state.chmod(0o755)
            serving.path.chmod(0o600)
            serving.pass_time(60)

            assert serving.ends() == {"hourly succeeded": 1}
            assert serving.said.topics()[-1] == "store_recovered"
            serving.close()


def put_back(path: Path, mode: int = 0o600) -> None:
    """The file as it is now takes its own place, as a restore by hand does."""
    with by_hand(path) as source, by_hand(path.with_name("backup")) as target:
        source.backup(target)
    path.with_name("backup").chmod(mode)
    path.with_name("backup").replace(path)
    for name in ("state.db-wal", "state.db-shm"):
        path.with_name(name).unlink()


def test_a_file_that_was_replaced_by_an_older_one_is_said_and_used(serving: Serving) -> None:
    with by_hand(serving.path) as source, by_hand(serving.path.with_name("backup")) as target:
        source.backup(target)
    serving.pass_time(3700)
    serving.path.with_name("backup").replace(serving.path)
    for name in ("state.db-wal", "state.db-shm"):
        serving.path.with_name(name).unlink()
    serving.pass_time(60)

    assert "store_trouble" in serving.said.topics()
    assert serving.said.topics()[-1] == "store_recovered"
    assert serving.ends() == {"hourly succeeded": 1}, "the instant that the older file knows nothing of"
    assert serving.arrived == 1, "its receiver was asked, and has it"
    assert "store_is_older" in serving.said.topics()
