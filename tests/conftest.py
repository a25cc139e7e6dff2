"""Fixtures that several kinds of tests share."""

from tests.postgres import new_database, postgres, postgres_server

__all__ = ["new_database", "postgres", "postgres_server"]
