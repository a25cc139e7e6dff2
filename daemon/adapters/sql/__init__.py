"""The store on SQLite or PostgreSQL."""

from .opening import open_database, open_queries, open_store
from .queries import SqlQueries
from .store import SqlStore

__all__ = ["SqlQueries", "SqlStore", "open_database", "open_queries", "open_store"]
