from __future__ import annotations

import base64
import io
import json
import logging
from urllib.parse import quote, unquote

import pytest

from daemon.adapters.logs import Logs
from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, RunStarted
from daemon.domain.model import Failed
from daemon.domain.redaction import Redactor
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


SECRET = "planted-secret-0815"


@pytest.mark.parametrize(
    "written_as",
    [
        SECRET,
        quote(f"x={SECRET}&y", safe=""),
        base64.b64encode(f"user:{SECRET}".encode()).decode(),
        f"postgresql://ada:{SECRET}@db/shop",
    ],
)
def test_no_secret_gets_into_a_line_however_it_is_written(written_as: str) -> None:
    out = io.StringIO()
    logs = Logs("json", "info", out, hide=Redactor([SECRET]))
    logs.notice(Notice("store_trouble", f"cannot log in with {written_as}"))
    logs.emit(a_run(), AttemptEnded(T0, "query", 1, Failed(Kind.DENIED, written_as, hint=written_as)))
    logs.adopt("daemon.secretive")
    error = ValueError(written_as)
    logging.getLogger("daemon.secretive").error("it failed", exc_info=(ValueError, error, None))
    assert (out.getvalue().count("[redacted]") >= 3, SECRET in out.getvalue()) == (True, False)
    assert "ValueError" in out.getvalue()
    assert SECRET not in unquote(out.getvalue())


def test_what_is_said_every_second_is_written_once_a_minute_with_its_count() -> None:
    out, now = io.StringIO(), [0.0]
    logs = Logs("json", "info", out, monotonic=lambda: now[0])
    for second in range(121):
        now[0] = float(second)
        logs.notice(Notice("store_trouble", "locked", Severity.CRITICAL, run=f"run-{second}"))
    logs.notice(Notice("store_trouble", "disk full", Severity.CRITICAL))
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [(line["message"], line.get("folded")) for line in lines] == [
        ("locked", None),
        ("locked", 59),
        ("locked", 59),
        ("disk full", None),
    ]
