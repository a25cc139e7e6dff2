"""What a port may refuse, and how."""

from __future__ import annotations

from ..domain.errors import ClockwrightError


class StoreError(ClockwrightError):
    """The store could not do what it was asked; nothing was written."""


class StoreUnavailable(StoreError):
    """Locked, full, read-only or unreachable for now; the caller may try again."""


class Stale(StoreError):
    """Someone else has changed or taken over what was to be written: stop at once, or reload and reapply."""


class AlreadyDelivered(Stale):
    """An attempt would cause an effect that was delivered, or that another run may be delivering: reload, and look."""


class Unreadable(StoreError):
    """A row that this version cannot read; it is left alone and its run is quarantined."""


class Declined(ClockwrightError):
    """What a person asks for cannot be done as things are; the message says why, the hint what can."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)


class Unknown(Declined):
    """There is nothing of that name."""
