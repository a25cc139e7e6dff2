"""What a database says when it fails, as one of the tool's error kinds, without the password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.engine import URL

from ._contract import BadDataError, DeniedError, MisconfiguredError, ToolError, TransientError

_DENIED_STATES = ("28", "42501")
_SCHEMA_STATES = ("42P01", "42703", "3D000", "3F000", "42601", "42883", "42804")
_DATA_STATES = ("22",)
_SCHEMA_TEXT = re.compile(r"no such (table|column|function|collation)|syntax error|unrecognized token|ambiguous column")
_DENIED_TEXT = re.compile(
    r"access denied|authentication failed|permission denied|not authorized|no password supplied",
    re.IGNORECASE,
)
_DATA_TEXT = re.compile(r"could not decode|malformed|integer overflow|not a database", re.IGNORECASE)


@contextmanager
def translated(url: URL, seconds: float) -> Iterator[None]:
    """Turn what the driver raises inside into a ToolError."""
    try:
        yield
    except ToolError:
        raise
    except sa.exc.DBAPIError as error:
        raise _fault(error, url, seconds) from None
    except UnicodeDecodeError as error:
        raise BadDataError(f"text that is not UTF-8, at byte {error.start}") from None
    except sa.exc.SQLAlchemyError as error:
        raise MisconfiguredError(f"the source cannot be queried: {told(str(error), url)}") from None


def _fault(error: sa.exc.DBAPIError, url: URL, seconds: float) -> ToolError:
    text = told(str(error.orig), url)
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if text.startswith("interrupted") or state == "57014":
        return TransientError(
            f"the source did not finish a statement within {seconds:g} s",
            hint="an index on the timestamp column helps; or raise statement_timeout",
        )
    if state.startswith(_DENIED_STATES) or _DENIED_TEXT.search(text):
        return DeniedError(f"the source refuses access: {text}", hint="check user, password and rights")
    if state in _SCHEMA_STATES or _SCHEMA_TEXT.search(text):
        return MisconfiguredError(
            f"the source does not understand the query: {text}", hint="check names and expressions"
        )
    if state.startswith(_DATA_STATES) or _DATA_TEXT.search(text):
        return BadDataError(f"the source holds data that cannot be read: {text}")
    return TransientError(f"the source cannot be read now: {text}")


def told(text: str, url: URL) -> str:
    """The driver's own first line, with the password taken out."""
    line = next((each.strip() for each in text.splitlines() if each.strip()), "no reason given")
    return line.replace(url.password, "***")[:300] if url.password else line[:300]
