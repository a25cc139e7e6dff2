"""The kinds of failure and the one table that says what the policy does about each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Why an attempt failed. The contract's tools raise some; the sandbox and the daemon find the others."""

    TRANSIENT = "transient"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    INTERRUPTED = "interrupted"
    BAD_DATA = "bad_data"
    DENIED = "denied"
    MISCONFIGURED = "misconfigured"
    INVALID_INPUT = "invalid_input"
    INVALID_OUTPUT = "invalid_output"
    UNKNOWN_OUTCOME = "unknown_outcome"
    BUDGET_EXCEEDED = "budget_exceeded"
    NO_PROGRESS = "no_progress"


@dataclass(frozen=True, slots=True)
class Rule:
    """What the policy does about one kind.

    `attempts` is how many tries of this kind a step may have, None meaning the step's own limit; `unknown` says
    that an external effect may have happened all the same; `ask` that the rule has no clear answer, so a decider
    is asked even in `on_exception`; `repair` that the step's repair tool may help; `repeats` that the same
    failure of the same input twice is expected and no sign of a loop.
    """

    attempts: int | None
    unknown: bool = False
    ask: bool = False
    repair: bool = False
    repeats: bool = False


STOP = Rule(attempts=1)

RULES: dict[Kind, Rule] = {
    Kind.TRANSIENT: Rule(attempts=None, repeats=True),
    Kind.TIMEOUT: Rule(attempts=None, unknown=True, repeats=True),
    Kind.CRASHED: Rule(attempts=None, unknown=True, repeats=True),
    # The daemon went away, not the tool: counted against the crash limit alone.
    Kind.INTERRUPTED: Rule(attempts=None, unknown=True, repeats=True),
    Kind.BAD_DATA: Rule(attempts=1, ask=True, repair=True),
    Kind.DENIED: STOP,
    Kind.MISCONFIGURED: STOP,
    Kind.INVALID_INPUT: Rule(attempts=1, ask=True),
    Kind.INVALID_OUTPUT: Rule(attempts=2, unknown=True),
    Kind.UNKNOWN_OUTCOME: Rule(attempts=None, unknown=True, repeats=True),
    Kind.BUDGET_EXCEEDED: STOP,
    Kind.NO_PROGRESS: STOP,
}


class ClockwrightError(Exception):
    """A fault that a person can mend; the message is one line that says how."""
