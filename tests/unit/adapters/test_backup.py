"""A copy of the store is one moment of it, is checked before it counts, and a store put back says so."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.adapters.sql.backup import copy, mark_restored, restored_from, verify
from daemon.adapters.sql.migrations import REVISIONS
from daemon.adapters.sql.opening import open_database, open_store
from daemon.ports import Stale, StoreError, StoreUnavailable
from tests.builders import T0, a_birth, a_run


def test_a_copy_is_made_beside_an_open_writer_and_holds_what_was_committed(tmp_path: Path) -> None:
    store = open_store(tmp_path / "state.db")
    store.create([a_birth(a_run())])
    copy(tmp_path / "state.db", tmp_path / "copy.db")
    store.create([a_birth(a_run("later", at=T0 + timedelta(hours=1)))])
    store.close()
    assert verify(tmp_path / "copy.db") == REVISIONS[-1]
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    copied = open_store(tmp_path / "copy.db")
    assert copied.load("run-1").job == "daily"
    with pytest.raises(KeyError):
        copied.load("later")
    copied.close()


@pytest.mark.parametrize("damage", ["cut", "noise", "newer", "empty"])
def test_a_copy_that_is_no_good_is_refused(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state.db"
    open_store(path).close()
    content = path.read_bytes()
    if damage == "newer":
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.close()
    else:
        path.write_bytes({"cut": content[: len(content) // 2], "noise": b"x" * 4096, "empty": b""}[damage])
    with pytest.raises(StoreError):
        verify(path)


def test_a_copy_never_replaces_a_file(tmp_path: Path) -> None:
    open_store(tmp_path / "state.db").close()
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(StoreUnavailable):
        copy(tmp_path / "state.db", tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_store_that_was_put_back_says_so_and_fences_off_its_earlier_leader(tmp_path: Path) -> None:
    store = open_store(tmp_path / "state.db")
    fence = store.lead("before", 60.0)
    assert fence is not None
    database = open_database(tmp_path / "state.db")
    assert database.read(restored_from) is None
    mark_restored(database, T0, T0 + timedelta(hours=1))
    assert database.read(restored_from) == T0
    with pytest.raises(Stale):
        store.create([a_birth(a_run())], fence=fence)
    mark_restored(database, T0 + timedelta(days=1), T0 + timedelta(days=2))
    assert database.read(restored_from) == T0 + timedelta(days=1)
    database.close()
    store.close()
