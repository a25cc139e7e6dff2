"""A call on its way through the sandbox."""

from __future__ import annotations

from collections.abc import Callable

from daemon.adapters.sandbox import frames, linux
from daemon.adapters.sandbox.handle import WorkerHandle
from daemon.adapters.sandbox.protocol import Failed, ToolCall, ToolResult

OnEnd = Callable[[ToolResult], None]


class Flight:
    """One call: queued, handed to a worker, taken by it, perhaps doomed, ended once."""

    def __init__(self, call: ToolCall, on_end: OnEnd) -> None:
        self.call = call
        self.on_end = on_end
        self.frame = frames.pack(call.to_json())
        self.queued_at = linux.now()
        self.worker: WorkerHandle | None = None
        self.taken_at: float | None = None
        self.doom: Failed | None = None
        self.tries = 0
        self.ended = False

    def take(self) -> float:
        """The worker has begun: the deadline."""
        self.taken_at = linux.now()
        return self.taken_at + self.call.timeout

    def late(self) -> bool:
        """The deadline has passed, whoever noticed it or not."""
        return self.taken_at is not None and linux.now() > self.taken_at + self.call.timeout

    def seconds(self) -> float:
        """How long the worker has had it."""
        return 0.0 if self.taken_at is None else linux.now() - self.taken_at
