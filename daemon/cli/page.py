"""`clockwright web`, and the status page of `serve`: which tokens let one in, and everything behind the page."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Annotated

import typer

from .session import Session
from .trouble import Refused, Unavailable

if TYPE_CHECKING:
    from ..adapters.metrics import Metrics
    from ..config import Settings
    from ..config.secrets import Secrets
    from ..config.settings import Http
    from ..domain.health import Health
    from ..ports import Notice
    from ..serving import Serving
    from ..web.live import Live
    from ..web.server import Server
    from ..web.site import Site

WEB = typer.Typer(help="The status page.", no_args_is_help=True, rich_markup_mode=None)
SHORTEST = 16
"""Characters that a token must have."""
AGAIN_SECONDS = 10.0
"""How often an address that is taken is tried."""


def register(app: typer.Typer) -> None:
    app.add_typer(WEB, name="web")


@WEB.callback()
def _group() -> None:
    """Keeps `token` a command of its own."""


@WEB.command()
def token(
    context: typer.Context,
    reader: Annotated[bool, typer.Option("--reader", help="The one that may look, not act.")] = False,
) -> None:
    """Print the token that the page asks for: the operator's, or the reader's."""
    session: Session = context.obj
    settings = session.settings()
    tokens = Tokened(settings, lambda: settings.secrets)
    typer.echo(tokens.value("reader_token" if reader else "operator_token"))


@dataclass(frozen=True)
class Tokened:
    """A configured secret, or, where neither token is configured, a file of the state folder made at first use."""

    settings: Settings
    secrets: Callable[[], Secrets]

    def value(self, which: str) -> str:
        """Raises Refused, SecretMissing, Unavailable."""
        if name := getattr(self.settings.http, which):
            return self._long_enough(name, self.secrets()(name))
        if self._configured:
            raise Refused(f"http.{which} is not set, and the other token is: nobody gets in that way")
        return _made(self.settings.state / f"web-{which.replace('_', '-')}")

    def now(self) -> tuple[str, str]:
        """The reader's and the operator's; empty where nobody gets in that way."""
        return self._quietly("reader_token"), self._quietly("operator_token")

    def expect(self) -> None:
        """At the start: whoever could not get in is told why. Raises Refused, SecretMissing, Unavailable."""
        for which in ("reader_token", "operator_token"):
            if getattr(self.settings.http, which) or not self._configured:
                self.value(which)

    @property
    def _configured(self) -> bool:
        return bool(self.settings.http.reader_token or self.settings.http.operator_token)

    def _quietly(self, which: str) -> str:
        from ..domain.errors import ClockwrightError

        try:
            return self.value(which)
        except ClockwrightError:  # the secret is not there now, or not good enough
            return ""

    def _long_enough(self, name: str, value: str) -> str:
        if len(value) < SHORTEST:
            raise Refused(f"the secret {name!r} is too short for a token of the page: {SHORTEST} characters at least")
        return value


def _made(path: Path) -> str:
    """Two that start together agree on one: the file is written whole, and linked into place once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            draft = path.with_name(f".{path.name}-{token_urlsafe(6)}")
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as stream:
                stream.write(token_urlsafe(32))
            _place(draft, path)
        return path.read_text().strip()
    except OSError as error:
        raise Unavailable(f"the page's token cannot be kept in {path}: {error.strerror}") from error


def _place(draft: Path, path: Path) -> None:
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


class Watched:
    """`daemon.web.site.Health`, of the loop's own progress."""

    def __init__(self, health: Callable[[], Health]) -> None:
        self._health = health

    def stuck(self) -> str:
        found = self._health()
        return "" if found.alive else found.why

    def unready(self) -> str:
        found = self._health()
        if found.ready or not found.alive:
            return found.why
        # Who asks has shown no token, and what a store says may hold a secret.
        return "the store does not answer" if found.why.startswith("the store") else found.why


class Page:
    """The page of one daemon. An address that is taken is told once and tried again: the jobs run all the same."""

    def __init__(self, server: Server, endpoint: Http, say: Callable[[Notice], None]) -> None:
        self._server = server
        self._address = f"http://{endpoint.host}:{endpoint.port}/"
        self._say = say
        self._stopping = threading.Event()

    def start(self) -> None:
        if not self._open(told=False):
            threading.Thread(target=self._keep_trying, name="page", daemon=True).start()

    def stop(self) -> None:
        self._stopping.set()
        self._server.stop()

    def _keep_trying(self) -> None:
        while not self._stopping.wait(AGAIN_SECONDS) and not self._open(told=True):
            continue

    def _open(self, *, told: bool) -> bool:
        from ..ports import Notice, Severity
        from ..web.server import AddressTaken

        try:
            self._server.start()
        except AddressTaken as error:
            if not told:
                self._say(Notice("page_unavailable", str(error)))
            return False
        self._say(Notice("page", f"status page at {self._address}; to be let in: clockwright web token", Severity.INFO))
        return True


def open_page(serving: Serving, metrics: Metrics) -> Page | None:
    """None where no port is set. Raises Refused, SecretMissing, Unavailable."""
    daemon, http = serving.daemon, serving.daemon.config.settings.http
    if http.port is None:
        return None
    from ..web.application import build
    from ..web.live import Live
    from ..web.server import Server

    tokens = Tokened(daemon.config.settings, lambda: daemon.now.settings.secrets)
    tokens.expect()
    live = Live()
    page = Page(
        Server(build(_site(serving, metrics, tokens, live)), http.host, http.port), http, daemon.observers.notice
    )
    daemon.observers.add(live)
    page.start()
    return page


def _site(serving: Serving, metrics: Metrics, tokens: Tokened, live: Live) -> Site:
    from ..adapters.fresh_redactor import FreshRedactor
    from ..adapters.outbox_folder import OutboxFolder
    from ..web.passes import Passes, Tokens
    from ..web.site import Site

    daemon = serving.daemon
    settings, queries = daemon.config.settings, daemon.queries
    trigger = settings.http.trigger_secret
    return Site(
        queries=queries,
        commands=daemon.commands,
        artifacts=daemon.artifacts,
        outbox=OutboxFolder(settings.outbox),
        clock=daemon.clock,
        jobs=daemon.commands.jobs,
        tools=daemon.now.toolbox,
        redactor=FreshRedactor(lambda: [*daemon.now.secrets.values(), *filter(None, tokens.now())], daemon.clock),
        exposition=metrics.exposition,
        health=Watched(serving.health),
        passes=Passes(lambda: Tokens(*tokens.now())),
        live=live,
        trigger_secret=lambda: daemon.now.secrets(trigger) if trigger else "",
        open_metrics=settings.http.open_metrics,
        slack=serving.reception.interactions if settings.slack.signing_secret else None,
    )
