"""What can go wrong between Slack and its caller, one fault for one request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HTML = b"<html><body>We'll be right back</body></html>"


@dataclass(frozen=True, slots=True)
class Fault:
    """`done`: the request takes effect all the same. `drop`: the connection closes without an answer.

    `seconds` is how long the answer takes; with neither `drop` nor `status` the true answer comes late.
    """

    status: int = 0
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    done: bool = False
    drop: bool = False
    seconds: float = 0.0

    @classmethod
    def limited(cls, after: str = "1", *, body: bool = True) -> Fault:
        """429; `after` is the Retry-After header, empty for none."""
        text = b'{"ok":false,"error":"ratelimited"}' if body else b""
        return cls(429, text, {"Retry-After": after} if after else {})

    @classmethod
    def html(cls, status: int = 503, *, done: bool = False) -> Fault:
        """A page instead of an answer; `done` tells whether the request had taken effect."""
        return cls(status, HTML, {"Content-Type": "text/html"}, done=done)

    @classmethod
    def empty(cls, *, done: bool = False) -> Fault:
        """200 and nothing more."""
        return cls(200, done=done)

    @classmethod
    def dropped(cls, *, done: bool) -> Fault:
        """The request is read, then nobody answers."""
        return cls(drop=True, done=done)

    @classmethod
    def late(cls, seconds: float) -> Fault:
        """Done at once, told late."""
        return cls(done=True, seconds=seconds)

    @classmethod
    def refusal(cls, code: str) -> Fault:
        """An error of Slack's own."""
        return cls(200, b'{"ok":false,"error":"%s"}' % code.encode())
