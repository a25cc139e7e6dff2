"""Reads the configuration again while the daemon works. Where it is bad, the last good one stays in force."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import typer

from ..domain.errors import ClockwrightError
from ..domain.numbers import counted
from .inbox import actor
from .session import Session
from .trouble import Unavailable

if TYPE_CHECKING:
    from ..config import Loaded
    from ..serving import Serving


def register(app: typer.Typer) -> None:
    app.command("reload")(ask)


def ask(context: typer.Context) -> None:
    """Have the daemon at work read its configuration and its tools again. The same as sending it SIGHUP."""
    session: Session = context.obj
    session.config()
    with closing(session.observer()) as daemon:
        if not daemon.reload_bell.ring():
            raise Unavailable("no daemon is at work here; it reads the configuration when it starts")
        daemon.commands.note(actor(), "reload")
    typer.echo("asked; the daemon's log says what came of it")


class Reloading:
    """A thread that reads when it is asked to. `ask` may be called from a signal handler."""

    def __init__(self, session: Session, serving: Serving, renewed: Callable[[Loaded], None]) -> None:
        self._session = session
        self._serving = serving
        self._renewed = renewed
        self._asked = threading.Event()
        serving.daemon.reload_bell.listen(self.ask)
        threading.Thread(target=self._attend, name="reload", daemon=True).start()

    def ask(self) -> None:
        self._asked.set()

    def _attend(self) -> None:
        while self._asked.wait():
            self._asked.clear()
            self._serving.notifier.reloading()
            self.read()
            self._serving.notifier.ready()

    def read(self) -> None:
        """Put in force what can be read, and tell what cannot."""
        from ..config import waits_for_restart
        from ..ports import Notice, Severity

        notice = self._serving.daemon.observers.notice
        try:
            config: Loaded = self._session.config()
            self._serving.renew(config)
        except ClockwrightError as error:
            notice(Notice("reload_refused", f"the last good configuration stays in force: {error}", Severity.CRITICAL))
            return
        self._renewed(config)
        notice(Notice("reloaded", f"{counted(len(config.jobs), 'job')} from {config.settings.folder}", Severity.INFO))
        if waiting := waits_for_restart(self._serving.daemon.config.settings, config.settings):
            changed = f"changed, and counts only after a restart: {', '.join(waiting)}"
            notice(Notice("needs_restart", changed))
        for fault in config.faults:  # after the good news, which ends the alerts of the reload before
            notice(Notice("config_fault", f"{fault}; the last good one of this job stays in force", Severity.CRITICAL))
