"""The daemon's log: one line an event on stderr, for people on a terminal and as JSON elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping, MutableMapping
from threading import Lock
from typing import Any, TextIO, TypeAlias

import structlog

from ..domain import wording
from ..domain.events import AttemptEnded, Escalated, Event, RunEnded, RunEnding, StepFailed
from ..domain.model import Failed, Run, RunState
from ..domain.redaction import Redactor
from ..ports import Notice, Severity

_LEVELS: Mapping[Severity, int] = {
    Severity.INFO: logging.INFO,
    Severity.WARNING: logging.WARNING,
    Severity.CRITICAL: logging.ERROR,
}


FOLD_SECONDS = 60.0
"""For how long a notice that says the same again is only counted."""
MOST_FOLDED = 1_000
Hide: TypeAlias = Callable[[str], str]


class Logs:
    """An EventSink. `form` is auto, text or json; `level` the least that is written; `hide` takes secrets out."""

    def __init__(
        self,
        form: str = "auto",
        level: str = "info",
        stream: TextIO | None = None,
        *,
        hide: Hide = Redactor(),  # noqa: B008 - it holds nothing: what looks like a secret is hidden in any case
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        out = stream or sys.stderr
        as_json = form == "json" or (form == "auto" and not out.isatty())
        least = logging.getLevelNamesMapping()[level.upper()]
        self._log = structlog.wrap_logger(
            structlog.PrintLogger(out),
            processors=[_Hidden(hide), *(_json() if as_json else _text(colors=out.isatty()))],
            wrapper_class=structlog.make_filtering_bound_logger(least),
            cache_logger_on_first_use=True,
        )
        self._folds = Folds(monotonic)

    def emit(self, run: Run, event: Event) -> None:
        names = {"job": run.job, "run": run.id, "step": wording.step_of(event), "kind": type(event).__name__}
        self._log.log(_level(event), wording.tell(event), **{name: value for name, value in names.items() if value})

    def adopt(self, logger: str) -> None:
        """Write what this logger hears as well."""
        logging.getLogger(logger).addHandler(_Adopted(self._log.log))

    def notice(self, notice: Notice) -> None:
        before = self._folds.add(notice.topic, notice.message)
        if before is None:
            return
        names = {"topic": notice.topic, "job": notice.job, "run": notice.run, "folded": before}
        self._log.log(
            _LEVELS[notice.severity], notice.message, **{name: value for name, value in names.items() if value}
        )


class Folds:
    """What is said again within a while is only counted: a store that is away fails every run every second."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}
        self._lock = Lock()

    def add(self, topic: str, message: str) -> int | None:
        """How many were only counted since the last that was written; None where this one is to be counted too."""
        now = self._monotonic()
        with self._lock:
            written_at, more = self._seen.pop((topic, message), (float("-inf"), 0))
            fold = now - written_at < FOLD_SECONDS
            self._seen[topic, message] = (written_at, more + 1) if fold else (now, 0)
            if len(self._seen) > MOST_FOLDED:
                del self._seen[next(iter(self._seen))]
        return None if fold else more


class _Hidden:
    """Takes secrets out of every text of a line, before it is put into JSON."""

    def __init__(self, hide: Hide) -> None:
        self._hide = hide

    def __call__(self, _logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        return {name: self._hide(value) if isinstance(value, str) else value for name, value in event.items()}


class _Adopted(logging.Handler):
    """What the parts say through Python's own logging."""

    def __init__(self, write: Callable[[int, str], object]) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        told = record.getMessage()
        if record.exc_info:
            told = f"{told}\n{_TRACEBACKS.formatException(record.exc_info)}"
        self._write(record.levelno, told)


_TRACEBACKS = logging.Formatter()


def _level(event: Event) -> int:
    bad_end = isinstance(event, RunEnded | RunEnding) and event.state is not RunState.SUCCEEDED
    failed = isinstance(event, AttemptEnded) and isinstance(event.outcome, Failed)
    if isinstance(event, RunEnded) and event.state is RunState.FAILED:
        return logging.ERROR
    return logging.WARNING if bad_end or failed or isinstance(event, StepFailed | Escalated) else logging.INFO


def _json() -> list[Any]:
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.EventRenamer("message"),
        structlog.processors.JSONRenderer(ensure_ascii=False),
    ]


def _text(*, colors: bool) -> list[Any]:
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False, key="at"),
        _Line(colors),
    ]


class _Line:
    """`10:00:02  warning  numbers fetch: attempt 1 failed: ...  numbers.20261201T090000Z.1`."""

    _CODES: Mapping[str, str] = {"warning": "33", "error": "31"}

    def __init__(self, colors: bool) -> None:
        self._colors = colors

    def __call__(self, _logger: Any, _method: str, event: MutableMapping[str, Any]) -> str:
        level = event["level"]
        who = " ".join(filter(None, (event.get("job"), event.get("step"))))
        said = f"{who}: {event['event']}" if who else event["event"]
        line = f"{event['at']}  {self._paint(level, f'{level:7}')}  {said}"
        return f"{line}  {self._paint('run', event['run'])}" if "run" in event else line

    def _paint(self, what: str, text: str) -> str:
        code = self._CODES.get(what, "2")
        return f"\x1b[{code}m{text}\x1b[0m" if self._colors else text
