"""From an error that a person can mend to its lines on stderr and its exit code. A defect keeps its traceback."""

from __future__ import annotations

from typing import Protocol

import typer

from ..domain.errors import ClockwrightError
from .exit_codes import ExitCode

UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""Typer has it from click, or from its own copy of click; only its subclass is public in both."""


class Misuse(ClockwrightError):
    """The command line asks for something that cannot be; the message says what can."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)


class Unavailable(ClockwrightError):
    """Something that the command needs of the machine cannot be had now."""


class Refused(ClockwrightError):
    """The configuration does not allow it."""


class Shown(Protocol):
    """What Typer's usage errors have."""

    def format_message(self) -> str: ...

    @property
    def ctx(self) -> typer.Context | None: ...


def exit_code(error: ClockwrightError) -> ExitCode:
    from ..config.faults import ConfigError
    from ..config.secrets import SecretMissing
    from ..ports import Declined, StoreError

    if isinstance(error, Misuse | Declined):
        return ExitCode.USAGE
    if isinstance(error, ConfigError | SecretMissing | Refused):
        return ExitCode.CONFIG
    return ExitCode.UNAVAILABLE if isinstance(error, StoreError | Unavailable) else ExitCode.FAILED


def lines(error: ClockwrightError) -> list[str]:
    """One line for each thing to mend."""
    return [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]


def usage_line(error: Shown) -> str:
    """One line where click would print three."""
    path = error.ctx.command_path if error.ctx else "clockwright"
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]} (see '{path} --help')"
