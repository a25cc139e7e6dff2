"""What must be looked at when: one alarm a key, rung by the supervisor's loop."""

from __future__ import annotations

from collections.abc import Callable, Hashable


class Alarms:
    """At most one pending alarm for each key; setting it again moves it."""

    def __init__(self) -> None:
        self._pending: dict[Hashable, tuple[float, Callable[[], None]]] = {}

    def set(self, key: Hashable, due: float, action: Callable[[], None]) -> None:
        """Have `action` called once when the clock has reached `due`."""
        self._pending[key] = (due, action)

    def cancel(self, key: Hashable) -> None:
        """Forget the key's alarm, if it has one."""
        self._pending.pop(key, None)

    def wait(self, now: float) -> float | None:
        """Seconds until the next alarm; None when there is none."""
        if not self._pending:
            return None
        return max(0.0, min(due for due, _ in self._pending.values()) - now)

    def ring(self, now: float) -> None:
        """Call every action that is due, each alarm once."""
        for key in [key for key, (due, _) in self._pending.items() if due <= now]:
            if key in self._pending:  # an action before it may have cancelled it
                self._pending.pop(key)[1]()
