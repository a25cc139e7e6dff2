"""The HTTP server in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from contextlib import suppress

import uvicorn
from starlette.types import ASGIApp

from ..domain.errors import ClockwrightError

STOP_SECONDS = 5.0


class AddressTaken(ClockwrightError):
    """The configured address cannot be had."""


class QuietServer(uvicorn.Server):
    """uvicorn's own loop wakes ten times a second for a date that the gate writes; this one sleeps until it is over."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._over: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None

    async def main_loop(self) -> None:
        over = asyncio.Event()
        self._over = (asyncio.get_running_loop(), over)
        if not await self.on_tick(0):
            await over.wait()

    def end(self) -> None:
        """From any thread."""
        self.should_exit = True
        if self._over is not None:
            loop, over = self._over
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(over.set)


class Server:
    """`start` returns once the address is ours; requests are answered from then on."""

    def __init__(self, application: ASGIApp, host: str, port: int) -> None:
        self._application = application
        self._address = (host, port)
        self._server: QuietServer | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> int:
        """The port. Raises AddressTaken."""
        listening = self._listen()
        config = uvicorn.Config(
            self._application,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            date_header=False,
            proxy_headers=False,
            http="h11",
            ws="none",
            loop="asyncio",
            limit_concurrency=200,
            timeout_graceful_shutdown=1,
        )
        quiet = logging.getLogger("uvicorn")
        quiet.addHandler(logging.NullHandler())
        quiet.propagate = False  # what fails is logged where it fails, without what was asked
        self._server = QuietServer(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="http", daemon=True
        )
        self._thread.start()
        return int(listening.getsockname()[1])

    def stop(self) -> None:
        """Requests in flight have a second; open event streams are cut."""
        if self._server is not None and self._thread is not None:
            self._server.end()
            self._thread.join(STOP_SECONDS)

    def _listen(self) -> socket.socket:
        host, port = self._address
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            listening = socket.create_server((host, port), family=family, backlog=128)
        except OSError as error:
            reason = error.strerror or str(error)
            told = f"the page cannot be served at {host}:{port}: {reason}"
            raise AddressTaken(f"{told}; it is tried again, and the jobs run meanwhile (set http.port)") from error
        # Inherited by every connection; asyncio leaves it out for sockets that it did not make, and a page's second
        # packet would wait 40 ms for the first one's acknowledgement.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
