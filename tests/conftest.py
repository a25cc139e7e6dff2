"""Fixtures that several kinds of tests share."""

from tests.postgres import migrated, new_database, postgres, postgres_server

__all__ = ["migrated", "new_database", "postgres", "postgres_server"]
