"""A client in memory that answers as the scripted endpoint would, without a socket."""

from __future__ import annotations

from typing import Any

from daemon.adapters.llm.trouble import by_status
from daemon.testing.scripted_endpoint import Body, Reply, Script, is_probe, understanding


class ScriptedClient:
    """`daemon.adapters.llm.client.Client`. `requests` holds every question that was no probe."""

    def __init__(self, *replies: Reply, script: Script | None = None, probes: Script | None = None) -> None:
        self.requests: list[Body] = []
        self._replies = list(replies)
        self._script = script or self._in_order
        self._probes = probes or understanding("schema")

    def _in_order(self, _: Body) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def create(self, request: Any, seconds: float) -> bytes:  # noqa: ARG002 - the port's shape
        if is_probe(request):
            reply = self._probes(request)
        else:
            self.requests.append(request)
            reply = self._script(request)
        if reply.status >= 400:
            headers = {name.lower(): value for name, value in reply.headers.items()}
            raise by_status(reply.status, reply.body.decode(), headers)
        return reply.body

    def close(self) -> None:
        """Nothing is open."""
