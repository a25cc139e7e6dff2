"""Whether the daemon lives and is ready, from what its loop last did. What systemd, /healthz and /readyz are told."""

from __future__ import annotations

from dataclasses import dataclass

STALLED_SECONDS = 90.0
"""A loop that has made no turn for this long hangs: it sleeps 10 s at most, and a busy store holds it up for 5 s."""


@dataclass(frozen=True, slots=True)
class Pulse:
    """The loop's own progress. `turned_at` is on the boot clock (seconds); `leads` None until it first asked."""

    turns: int = 0
    turned_at: float = 0.0
    leads: bool | None = None
    trouble: str = ""
    """Why the store cannot be used."""


@dataclass(frozen=True, slots=True)
class Health:
    """`ready`: it serves, or stands by for one that does. `why` says what is wrong; empty where nothing is."""

    alive: bool
    ready: bool
    why: str = ""


def health(pulse: Pulse, boot: float) -> Health:
    if boot - pulse.turned_at > STALLED_SECONDS:
        return Health(alive=False, ready=False, why=f"the loop has made no turn for {boot - pulse.turned_at:.0f} s")
    if pulse.trouble:
        return Health(alive=True, ready=False, why=f"the store: {pulse.trouble}")
    if pulse.leads is None:
        return Health(alive=True, ready=False, why="starting")
    return Health(alive=True, ready=True)
