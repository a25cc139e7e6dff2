"""What the command's end tells a program. docs/cli.md is checked against this list."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    OK = 0
    FAILED = 1
    """The run, or the tool that was tried, failed."""
    USAGE = 2
    """The command line is wrong: an unknown name, option or date."""
    DEGRADED = 3
    """The run ended, and something is missing from what it made."""
    WAITING = 4
    """The run waits for a person."""
    CANCELLED = 5
    """The run was cancelled."""
    UNAVAILABLE = 69
    """The store, or what a command needs of the machine, cannot be used now."""
    CONFIG = 78
    """The configuration has faults."""
    INTERRUPTED = 130
    """Ctrl-C; a run that was under way can be taken up again."""
