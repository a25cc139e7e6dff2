"""The journal beside the store: what was meant last, whatever else is in the file."""

from __future__ import annotations

import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.adapters.intent_journal import KEPT, IntentJournal
from daemon.ports import EffectRow, EffectState, Journal
from daemon.testing.fake_clock import START, FakeClock
from daemon.testing.memory_journal import MemoryJournal

ROW = EffectRow("key", EffectState.INTENT, "run-1", "post", 1, START + timedelta(minutes=1))


@pytest.fixture(params=["memory", "file"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal:
    return MemoryJournal() if request.param == "memory" else IntentJournal(tmp_path / "intents.log", FakeClock())


def test_the_newest_intent_of_each_key_is_kept(journal: Journal) -> None:
    assert journal.entries() == []
    other = replace(ROW, key="other")
    for row in (ROW, other, replace(ROW, attempt=2)):
        journal.note(row)

    assert journal.entries() == [replace(ROW, attempt=2), other]


def test_only_the_user_of_the_daemon_reads_the_file(tmp_path: Path) -> None:
    IntentJournal(tmp_path / "intents.log", FakeClock()).note(ROW)
    assert stat.S_IMODE((tmp_path / "intents.log").stat().st_mode) == 0o600


def test_a_line_that_is_not_whole_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / "intents.log"
    journal = IntentJournal(path, FakeClock())
    journal.note(ROW)
    path.write_bytes(path.read_bytes() + b'{"key": "cut\n\xff\n[]\n')
    journal.note(replace(ROW, key="later"))

    assert [row.key for row in journal.entries()] == ["key", "later"]


def test_what_is_old_is_forgotten_and_the_file_stays_short(tmp_path: Path) -> None:
    clock, path = FakeClock(), tmp_path / "intents.log"
    journal = IntentJournal(path, clock)
    for number in range(50):
        journal.note(replace(ROW, key=str(number)))
    clock.advance(KEPT.total_seconds())
    journal.note(replace(ROW, key="new", deadline=clock.now()))
    clock.advance(120)

    assert [row.key for row in journal.entries()] == ["new"]
    assert path.read_text().count("\n") == 1
