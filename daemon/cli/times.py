"""Instants and lengths of time as people read them; the page reads them the same way."""

from ..domain.times import clock, length, local, utc

__all__ = ["clock", "length", "local", "utc"]
