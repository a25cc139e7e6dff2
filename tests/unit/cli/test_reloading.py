"""What a reload tells people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from daemon.adapters.sandbox.recipe import Recipe
from daemon.app import wire
from daemon.cli.reloading import Reloading
from daemon.cli.session import Session
from daemon.config import Loaded, read_settings
from daemon.serving import Serving
from daemon.testing.recording_sink import RecordingSink
from tests.unit.cli.desk import SETTINGS, AtOnce, Desk


class Renewable(AtOnce):
    def renew(self, recipe: Recipe) -> None: ...


@pytest.fixture
def sink() -> RecordingSink:
    return RecordingSink()


@pytest.fixture
def serving(desk: Desk, sink: RecordingSink) -> Iterator[Serving]:
    with closing(Serving(wire(Loaded(read_settings(desk.folder), (), ()), [sink]))) as serving:
        vars(serving.daemon)["runner"] = Renewable()
        yield serving


def reload(desk: Desk, serving: Serving, settings: str) -> None:
    (desk.folder / "clockwright.yaml").write_text(settings)
    Reloading(Session(desk.folder), serving, lambda _config: None).read()


def test_what_counts_only_after_a_restart_is_named(desk: Desk, serving: Serving, sink: RecordingSink) -> None:
    reload(desk, serving, SETTINGS + "parallel_runs: 3\nlog: {level: debug}\n")
    [told] = [notice.message for notice in sink.notices if notice.topic == "needs_restart"]
    assert told == "changed, and counts only after a restart: parallel_runs, log.level"


def test_how_many_runs_of_a_tag_work_at_once_counts_at_once(desk: Desk, serving: Serving, sink: RecordingSink) -> None:
    reload(desk, serving, SETTINGS + "concurrency: {warehouse: 2}\ncatch_up: {at_once: 3}\n")
    assert serving.scheduler.tag_limits == {"warehouse": 2}
    assert serving.scheduler.pace.at_once == 3
    assert "needs_restart" not in {notice.topic for notice in sink.notices}


def test_a_bad_one_changes_nothing(desk: Desk, serving: Serving, sink: RecordingSink) -> None:
    reload(desk, serving, SETTINGS + "concurrency: {warehouse: none}\n")
    assert [notice.topic for notice in sink.notices] == ["reload_refused"]
    assert serving.scheduler.tag_limits == {}
