from __future__ import annotations

import io
import json
import logging

from daemon.adapters.logs import Logs
from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, RunStarted
from daemon.domain.model import Failed
from daemon.ports import Notice, Severity
from tests.builders import T0, a_run

FAILED = AttemptEnded(T0, "query", 1, Failed(Kind.TRANSIENT, "locked"))


def written(form: str, level: str = "info") -> list[str]:
    out = io.StringIO()
    logs = Logs(form, level, out)
    logs.emit(a_run(), RunStarted(T0))
    logs.emit(a_run(), FAILED)
    logs.notice(Notice("serving", "this daemon serves", Severity.INFO))
    return out.getvalue().splitlines()


def test_elsewhere_than_on_a_terminal_each_line_is_json() -> None:
    _, failed, notice = map(json.loads, written("auto"))
    assert (failed["level"], failed["job"], failed["step"]) == ("warning", "daily", "query")
    assert failed["message"] == "attempt 1 failed: transient: locked"
    assert (notice["topic"], notice["message"]) == ("serving", "this daemon serves")


def test_as_text_a_line_says_who_and_what() -> None:
    started, failed, _ = written("text")
    assert started.endswith("info     daily: started  run-1")
    assert failed.endswith("warning  daily query: attempt 1 failed: transient: locked  run-1")


def test_what_a_part_logs_by_itself_is_written_as_well() -> None:
    out = io.StringIO()
    Logs("json", "info", out).adopt("daemon.some_part")
    logging.getLogger("daemon.some_part").warning("the sandbox ended: %s", "killed")
    assert json.loads(out.getvalue())["message"] == "the sandbox ended: killed"


def test_what_is_below_the_level_is_not_written() -> None:
    assert len(written("text", "warning")) == 1
