"""The store on SQL where things go wrong: locks, full disks, damage, replaced files, kills and other versions."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine

from daemon.adapters.sql import SqlQueries, SqlStore, open_store
from daemon.adapters.sql.migrations import REVISIONS
from daemon.adapters.sql.migrations.upgrade import config, upgrade
from daemon.adapters.sql.schema import METADATA
from daemon.adapters.sql.sqlite_file import file_system, refuse_network
from daemon.domain.events import AttemptEnded
from daemon.domain.model import Run, StepState, Succeeded
from daemon.ports import Birth, Stale, StoreError, StoreUnavailable, Unreadable
from tests.builders import T0, a_birth, a_change, a_run, a_start

_ROW = "SELECT epoch, version, owner, state, hex(body) FROM runs WHERE id = 'run-1'"
WRITER = Path(__file__).with_name("sql_writer.py")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    opened = open_store(path, busy_seconds=0.05)
    yield opened
    opened.close()


@contextmanager
def by_hand(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


class TestFile:
    def test_only_its_owner_may_read_it(self, path: Path, store: SqlStore) -> None:
        store.create([a_birth(a_run())])
        files = sorted(path.parent.iterdir())
        assert [file.name for file in files] == ["state.db", "state.db-shm", "state.db-wal"]
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}

    def test_a_file_that_others_may_read_is_closed_to_them(self, path: Path) -> None:
        path.touch(mode=0o644)
        open_store(path).close()
        assert path.stat().st_mode & 0o777 == 0o600

    def test_odd_characters_in_the_path_are_no_trouble(self, tmp_path: Path) -> None:
        odd = tmp_path / "été 100% #1?" / "state.db"
        open_store(odd).close()
        assert odd.exists()

    @pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
    def test_a_network_file_system_is_refused(self, tmp_path: Path, kind: str) -> None:
        mounts = tmp_path / "mounts"
        share = tmp_path / "a share"
        mounts.write_text(f"/dev/vda / ext4 rw 0 0\nhost:/x {str(share).replace(' ', chr(92) + '040')} {kind} rw 0 0\n")
        with pytest.raises(StoreUnavailable, match="network file system"):
            refuse_network(share / "state.db", mounts)
        refuse_network(tmp_path / "state.db", mounts)
        assert file_system(tmp_path, mounts) == "ext4"

    @pytest.mark.parametrize("address", ["sqlite://", "sqlite:///:memory:", "mysql://host/name", "nonsense://"])
    def test_an_address_that_cannot_keep_state_is_refused(self, address: str) -> None:
        with pytest.raises(StoreError, match="sqlite:///path"):
            open_store(address)

    def test_a_file_that_is_no_database_is_refused_and_left_alone(self, path: Path) -> None:
        path.write_text("this is a letter to my aunt, and not a database at all\n" * 20)
        with pytest.raises(StoreUnavailable, match="not a SQLite database"):
            open_store(path)
        assert path.read_text().startswith("this is a letter")


class TestFaults:
    def test_a_locked_database_is_unavailable_until_it_is_free(self, path: Path, store: SqlStore) -> None:
        with by_hand(path) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="locked"):
                store.create([a_birth(a_run())])
        assert store.create([a_birth(a_run())]) == [True]

    def test_a_full_disk_stores_nothing_and_is_survived(self, store: SqlStore) -> None:
        store.create([Birth(a_run())])
        run = store.claim("run-1", "me")
        step = replace(run.steps["query"], output="x" * 500_000)
        with file_limit(300_000), pytest.raises(StoreUnavailable, match="disk"):
            store.commit(a_change(run, step=step))
        assert store.load("run-1") == run
        store.commit(a_change(run, step=step))
        assert store.load("run-1").steps["query"] == step

    def test_a_read_only_file_is_said_to_be_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "state.db"
            open_store(path).close()
            path.chmod(0o444)
            Path(folder).chmod(0o555)
            with unprivileged(), pytest.raises(StoreUnavailable, match="permissions"):
                open_store(path)

    def test_a_folder_that_may_not_be_written_is_said_to_be_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o555)
            with unprivileged(), pytest.raises(StoreUnavailable, match="permissions"):
                open_store(Path(folder) / "state.db")

    def test_a_replaced_file_is_noticed_and_the_new_one_is_used(self, path: Path, store: SqlStore) -> None:
        store.create([Birth(a_run())])
        backup(path)
        run = store.claim("run-1", "me")
        path.with_name("backup").replace(path)
        for wal in ("state.db-wal", "state.db-shm"):
            path.with_name(wal).unlink()
        with pytest.raises(StoreUnavailable, match="replaced"):
            store.commit(a_start(run))
        with pytest.raises(Stale):
            store.commit(a_start(run))
        with pytest.raises(StoreUnavailable, match="replaced"):
            store.load("run-1")
        assert store.load("run-1").epoch == 0

    def test_a_file_that_has_gone_is_not_made_anew(self, path: Path, store: SqlStore) -> None:
        path.unlink()
        for use in (partial(store.create, [a_birth(a_run())]), store.next_wake):
            with pytest.raises(StoreUnavailable, match="has gone"):
                use()
        assert not path.exists()

    def test_an_output_that_is_no_json_is_refused_and_nothing_is_stored(self, store: SqlStore) -> None:
        store.create([Birth(a_run())])
        run = store.claim("run-1", "me")
        with pytest.raises(StoreError, match="NaN"):
            store.commit(a_change(run, step=replace(run.steps["query"], output=float("nan"))))
        assert store.load("run-1") == run


class TestDamage:
    @pytest.fixture(autouse=True)
    def two_runs(self, store: SqlStore) -> None:
        store.create([Birth(a_run()), Birth(a_run("run-2", revision=2))])

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE runs SET body = '{' WHERE id = 'run-1'",
            "UPDATE runs SET body = '{\"format\":1,\"value\":{}}' WHERE id = 'run-1'",
            "UPDATE steps SET body = 'x' WHERE run = 'run-1' AND step = 'send'",
            "UPDATE runs SET body = x'ff00ff' WHERE id = 'run-1'",
            "UPDATE runs SET body = CAST(x'7bff00ff7d' AS TEXT) WHERE id = 'run-1'",
            "UPDATE runs SET body = replace(body, 'daily', CAST(x'ff' AS TEXT)) WHERE id = 'run-1'",
            "UPDATE runs SET body = '{\"format\":99,\"value\":{}}' WHERE id = 'run-1'",
        ],
    )
    def test_a_row_that_cannot_be_read_is_left_alone_and_hurts_no_other(
        self, path: Path, store: SqlStore, damage: str
    ) -> None:
        with by_hand(path) as connection:
            connection.execute(damage)
            before = connection.execute(_ROW).fetchall()
            for use in (store.load, lambda name: store.claim(name, "me")):
                with pytest.raises(Unreadable, match="run run-1"):
                    use("run-1")
            assert connection.execute(_ROW).fetchall() == before
        assert store.claim("run-2", "me").epoch == 1
        assert store.due(T0, "you", 10) == ["run-1", "run-2"]
        assert len(SqlQueries(store.database).runs()) == 2

    def test_an_event_of_a_newer_version_is_unreadable(self, path: Path, store: SqlStore) -> None:
        with by_hand(path) as connection:
            connection.execute("INSERT INTO events VALUES ('run-1', 1, 0, 'RunTeleported', NULL, '{}')")
        with pytest.raises(Unreadable, match="RunTeleported"):
            SqlQueries(store.database).events("run-1")


@pytest.mark.slow
class TestGrowth:
    def test_a_commit_writes_changed_rows_only(self, path: Path, store: SqlStore) -> None:
        store.create([Birth(a_run())])
        run = store.claim("run-1", "me")
        with by_hand(path) as connection:
            connection.execute("UPDATE steps SET state = 'untouched'")
            store.commit(a_start(run, "query"))
            states = dict(connection.execute("SELECT step, state FROM steps").fetchall())
        assert states == {"query": "running", "report": "untouched", "send": "untouched"}

    def test_a_step_with_an_output_of_1_kb_takes_at_most_3_kb(self, path: Path) -> None:
        sizes = [_size_after(path.with_name(f"{runs}.db"), runs) for runs in (10, 40, 70)]
        first, second = (sizes[1] - sizes[0]) / 150, (sizes[2] - sizes[1]) / 150
        assert first < 3 * 1024
        assert second < 3 * 1024


class TestPageQueries:
    def test_the_newest_runs_of_a_job_are_found_by_an_index_alone(self, path: Path) -> None:
        """However long the history, the overview reads thirty rows a job and sorts nothing."""
        open_store(path).close()
        newest = "SELECT state FROM runs WHERE job = ? ORDER BY queued_at DESC, id DESC LIMIT 30"
        with by_hand(path) as connection:
            [step] = connection.execute(f"EXPLAIN QUERY PLAN {newest}", ["daily"]).fetchall()
        assert "USING INDEX runs_job_queued_at (job=?)" in step[-1]


class TestMigrations:
    @pytest.mark.parametrize("start", [None, *REVISIONS])
    def test_every_earlier_revision_becomes_todays_schema(self, path: Path, start: str | None) -> None:
        engine = create_engine(f"sqlite:///{path}")
        _set_up(engine, start)
        open_store(path).close()
        assert _differences(engine) == []
        engine.dispose()

    def test_the_list_of_revisions_is_alembics(self) -> None:
        scripts = ScriptDirectory.from_config(config())
        assert [script.revision for script in scripts.walk_revisions()][::-1] == list(REVISIONS)

    def test_a_database_of_a_newer_version_is_refused_and_left_alone(self, path: Path) -> None:
        open_store(path).close()
        with by_hand(path) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            with pytest.raises(StoreError, match="revision 9999, which this version does not know"):
                open_store(path)
            assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]

    def test_two_that_start_together_set_it_up_once(self, path: Path) -> None:
        stores: list[SqlStore] = []
        threads = [Thread(target=lambda: stores.append(open_store(path))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [store.create([a_birth(a_run())]) for store in stores] == [[True], [False], [False], [False]]
        for store in stores:
            store.close()


class TestProcesses:
    pytestmark = pytest.mark.slow

    def test_what_was_acknowledged_before_a_kill_is_there(self, path: Path) -> None:
        for kill_after in (1, 7, 30):
            name = f"run-{kill_after}"
            acknowledged = _killed_after(path, name, kill_after)
            store = open_store(path)
            run = store.load(name)
            events = SqlQueries(store.database).events(name)
            store.close()
            assert run.version in {acknowledged, acknowledged + 1}
            assert run.sequence == len(events)
            with by_hand(path) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]

    def test_two_processes_write_side_by_side(self, path: Path) -> None:
        writers = [_writer(str(path), name, "50") for name in ("left", "right")]
        outputs = [writer.communicate(timeout=100)[0].split() for writer in writers]
        assert [output[-1] for output in outputs] == ["51", "51"]
        store = open_store(path)
        assert [store.load(name).version for name in ("left", "right")] == [51, 51]
        store.close()

    def test_the_lease_of_a_killed_daemon_is_free_at_once(self, path: Path) -> None:
        script = (
            "import sys; from daemon.adapters.sql import open_store;"
            "print(open_store(sys.argv[1]).lead('dead', 3600), flush=True); sys.stdin.read()"
        )
        daemon = _python("-c", script, str(path))
        assert daemon.stdout is not None
        assert daemon.stdout.readline() == "1\n"
        store = open_store(path)
        assert store.lead("me", 60) is None
        daemon.kill()
        daemon.communicate()
        assert store.lead("me", 60) == 2
        store.close()


class TestPostgres:
    pytestmark = pytest.mark.slow

    def test_a_lost_connection_is_unavailable_and_then_made_anew(self, postgres: str) -> None:
        import psycopg

        store = open_store(postgres)
        store.create([Birth(a_run())])
        run = store.claim("run-1", "me")
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        with pytest.raises(StoreUnavailable):
            store.commit(a_start(run))
        store.commit(a_start(run))
        store.close()

    @pytest.mark.parametrize("start", [None, *REVISIONS])
    def test_every_earlier_revision_becomes_todays_schema(
        self, new_database: Callable[[], str], start: str | None
    ) -> None:
        address = new_database()
        engine = create_engine(address.replace("postgresql://", "postgresql+psycopg://"))
        _set_up(engine, start)
        open_store(address).close()
        assert _differences(engine) == []
        engine.dispose()

    def test_a_server_that_is_not_there_is_unavailable(self, tmp_path: Path) -> None:
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            open_store(f"postgresql://nobody@/nothing?host={tmp_path}")

    def test_processes_on_a_server_write_side_by_side(self, postgres: str) -> None:
        writers = [_writer(postgres, name, "30") for name in ("left", "right")]
        outputs = [writer.communicate(timeout=100)[0].split() for writer in writers]
        assert [output[-1] for output in outputs] == ["31", "31"]


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """No file of this process may grow beyond `size` bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may write everywhere, so for a while be nobody."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(mine)


def backup(path: Path) -> None:
    with by_hand(path) as source, by_hand(path.with_name("backup")) as target:
        source.backup(target)


def _size_after(path: Path, runs: int) -> int:
    """Bytes of a database with that many finished runs of five steps, each with an output of 1 KB."""
    store = open_store(path)
    for number in range(runs):
        steps = ("query", "kpis", "chart", "report", "send")
        run = a_run(f"daily_sales_report.20260301T{number:06d}Z.1", job=f"job-{number}")
        run = replace(run, steps={name: replace(a_run().steps["query"], step=name) for name in steps})
        store.create([a_birth(run)])
        run = store.claim(run.id, "me")
        for name in steps:
            run = _one_step(store, run, name)
    store.close()
    return path.stat().st_size


def _one_step(store: SqlStore, run: Run, name: str) -> Run:
    start = a_start(run, name)
    store.commit(start)
    output = {"rows": "x" * 1000}
    ended = AttemptEnded(T0, name, 1, Succeeded(output, "1,000 rows"))
    done = replace(start.after.steps[name], state=StepState.DONE, attempt=None, output=output, summary="1,000 rows")
    change = a_change(start.after, ended, step=done)
    store.commit(change)
    return change.after


def _set_up(engine: Engine, revision: str | None) -> None:
    if revision is not None:
        with engine.begin() as connection:
            upgrade(connection, revision)


def _differences(engine: Engine) -> list[object]:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))

    with engine.connect() as connection:
        return differences(connection)


def _python(*arguments: str) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )


def _writer(address: str, *arguments: str) -> subprocess.Popen[str]:
    return _python(str(WRITER), address, *arguments)


def _killed_after(path: Path, name: str, commits: int) -> int:
    """The version that the writer last acknowledged before it was killed."""
    writer = _writer(str(path), name)
    assert writer.stdout is not None
    seen = [writer.stdout.readline() for _ in range(commits)]
    writer.kill()
    rest, _ = writer.communicate()
    return int([*seen, *rest.splitlines()][-1])


def _shape(path: Path) -> dict[str, object]:
    """What SQLite makes of a schema, whoever wrote it."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: connection.execute(f"PRAGMA table_info({table})").fetchall() for table in sorted(tables)}
        partial = "sql IS NULL OR instr(sql, 'WHERE')"
        query = f"SELECT name, tbl_name, {partial} FROM sqlite_master WHERE type = 'index' ORDER BY name"
        indexes = connection.execute(query).fetchall()
        return {"columns": columns, "indexes": indexes}


def test_a_fresh_file_gets_the_schema_that_the_migrations_make(tmp_path: Path) -> None:
    open_store(tmp_path / "fresh.db").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    with engine.begin() as connection:
        upgrade(connection, "head")
    engine.dispose()

    assert _shape(tmp_path / "fresh.db") == _shape(tmp_path / "migrated.db")
