"""`clockwright serve`: the daemon itself, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import signal
import threading
from contextlib import closing
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from .exit_codes import ExitCode
from .session import Session
from .trouble import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..adapters.logs import Logs
    from ..adapters.metrics import Metrics
    from ..app import Daemon
    from ..config import Loaded, Settings
    from ..ports import Notice
    from ..serving import Serving

DRAIN_SECONDS = 10.0
GRACE_SECONDS = 15.0
"""On top of the drain: to record what was stopped, and to end the tool processes."""


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    context: typer.Context,
    drain: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.0, help="How long steps in flight may take to end at a stop.")
    ] = DRAIN_SECONDS,
) -> int:
    """Run every job when it is due. Ends at SIGTERM or Ctrl-C; a second signal does not wait for what runs."""
    from ..adapters.clock import SystemClock
    from ..adapters.fresh_redactor import FreshRedactor
    from ..adapters.logs import Logs
    from ..adapters.metrics import Metrics
    from ..serving import Serving
    from .page import open_page
    from .reloading import Reloading

    session: Session = context.obj
    config = session.config()
    secrets = [config.settings.secrets]

    def values() -> list[str]:
        return secrets[-1].values()

    logs = Logs(config.settings.log_format, config.settings.log_level, hide=FreshRedactor(values, SystemClock()).hide)
    logs.adopt("daemon")
    metrics = Metrics(config.jobs)

    def renewed(taken: Loaded) -> None:
        secrets.append(taken.settings.secrets)
        metrics.expect(taken.jobs)

    with closing(Serving(session.daemon(config, [logs, metrics]))) as serving:
        stopping = Stopping(serving, drain)
        serving.notifier  # noqa: B018 - taken from the environment before a child inherits it
        metrics.look_at(serving.gauges)
        reloading = Reloading(session, serving, renewed)
        signal.signal(signal.SIGHUP, lambda _number, _frame: reloading.ask())
        _announce(serving.daemon, config, logs)
        _open_metrics(config.settings, metrics, serving.daemon.observers.notice)
        page = open_page(serving, metrics)
        duty = serving.attended
        serving.reception.open()
        if serving.heartbeats:
            serving.heartbeats.start()
        serving.loop.run(duty)
        stopping.end()
        if serving.heartbeats:
            serving.heartbeats.stop()
        if page:
            page.stop()
    return ExitCode.OK


class Stopping:
    """What signals do: the handler only sets flags and rings; a thread of its own does the rest."""

    def __init__(self, serving: Serving, seconds: float) -> None:
        self._serving = serving
        self._seconds = seconds
        self._asked = threading.Event()
        self._again = threading.Event()
        serving.alarm  # noqa: B018 - made before a signal may want to ring it
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)

    def _signalled(self, _number: int, _frame: FrameType | None) -> None:
        (self._again if self._asked.is_set() else self._asked).set()
        self._serving.loop.stop()
        self._serving.alarm.ring()

    def end(self) -> None:
        """Let what is in flight end, for as long as was granted and nobody asks again."""
        self._serving.notifier.stopping(self._seconds + GRACE_SECONDS)
        impatient = threading.Thread(target=self._kill_if_asked_again, name="impatience", daemon=True)
        impatient.start()
        self._serving.daemon.executor.drain(self._seconds)

    def _kill_if_asked_again(self) -> None:
        self._again.wait()
        self._serving.daemon.executor.kill()


def _announce(daemon: Daemon, config: Loaded, logs: Logs) -> None:
    from ..domain.numbers import counted
    from ..ports import Notice, Severity

    settings = config.settings
    daemon.store.next_wake()  # an unusable store is said now, not in the first turn
    logs.notice(Notice("starting", f"{counted(len(config.jobs), 'job')} from {settings.folder}", Severity.INFO))
    for fault in config.faults:
        logs.notice(Notice("config_fault", str(fault)))
    for warning in config.warnings:
        logs.notice(Notice("config_warning", str(warning), Severity.INFO))


def _open_metrics(settings: Settings, metrics: Metrics, say: Callable[[Notice], None]) -> None:
    """Raises Unavailable where the address is taken or cannot be had."""
    if settings.metrics.port is None:
        return
    from ..adapters.metrics_server import open_server
    from ..ports import Notice, Severity

    host, port = settings.metrics.host, settings.metrics.port
    try:
        open_server(host, port, metrics.exposition)
    except OSError as error:
        raise Unavailable(f"metrics cannot be served at {host}:{port}: {error.strerror}") from error
    say(Notice("metrics", f"metrics at http://{host}:{port}/metrics", Severity.INFO))
