"""One request within a total deadline that no server can stretch, neither by silence nor by dripping."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ...domain.errors import ClockwrightError
from ...domain.model import Json
from .client import Client
from .reply import Reply, read
from .trouble import Fault, Trouble


class Transport:
    """Thread safe. A client serves one request at a time, so that ending one request ends no other."""

    def __init__(self, open_client: Callable[[], Client]) -> None:
        self._open_client = open_client
        self._idle: list[Client] = []
        self._lock = threading.Lock()

    def post(self, request: Json, seconds: float) -> Reply:
        """Returns or raises Trouble within `seconds`, whatever the server does."""
        if seconds <= 0:
            raise Trouble(Fault.TIMEOUT, "no time is left")
        call = _Call(self._take, request, seconds)
        if not call.ended.wait(seconds):
            call.cut()
            raise Trouble(Fault.TIMEOUT, f"no whole answer within {seconds:.1f} s")
        if call.client and not call.failed:
            self._give_back(call.client)
        return read(call.result())

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for client in idle:
            client.close()

    def _take(self) -> Client:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._open_client()

    def _give_back(self, client: Client) -> None:
        with self._lock:
            self._idle.append(client)


class _Call:
    """A request on a thread of its own: the one way to leave a read that does not end."""

    def __init__(self, take: Callable[[], Client], request: Json, seconds: float) -> None:
        self.ended = threading.Event()
        self.client: Client | None = None
        self.failed: Exception | None = None
        self._lock = threading.Lock()
        self._late = False
        self._body = b""
        args = (take, request, seconds)
        threading.Thread(target=self._work, args=args, name="model", daemon=True).start()

    def result(self) -> bytes:
        if self.failed:
            raise self.failed
        return self._body

    def cut(self) -> None:
        """Close the connection under the reader."""
        with self._lock:
            self._late = True
            client = self.client
        if client:
            client.close()

    def _work(self, take: Callable[[], Client], request: Json, seconds: float) -> None:
        try:
            self._body = self._connected(take()).create(request, seconds)
        except Trouble as trouble:
            self.failed = trouble
        except ClockwrightError as error:
            self.failed = Trouble(Fault.AUTH, str(error))
        except Exception as error:  # noqa: BLE001 - a library's surprise is a trouble like any other
            self.failed = Trouble(Fault.CONNECTION, f"{type(error).__name__}: {error}")
        finally:
            if self.failed and self.client:
                self.client.close()
            self.ended.set()

    def _connected(self, client: Client) -> Client:
        with self._lock:
            self.client = client
            late = self._late
        if late:
            client.close()
            raise Trouble(Fault.TIMEOUT, "too late")
        return client
