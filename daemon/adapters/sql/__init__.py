"""The store on SQLite or PostgreSQL."""

from .opening import open_queries, open_store

__all__ = ["open_queries", "open_store"]
