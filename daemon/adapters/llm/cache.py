"""Answers by the digest of everything that was asked, for a while. Only at temperature 0, and only where wanted."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from ...domain.digests import digest
from ...domain.llm import Llm
from .notebook import Notebook


class Cache:
    """Over the notebook, so that a restart does not forget."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook = notebook

    def get(self, llm: Llm, asked: dict[str, Any], now: datetime) -> str | None:
        if not _cacheable(llm):
            return None
        with self._notebook.writing() as rows:
            query = "SELECT text FROM answers WHERE prompt = ? AND expires > ?"
            row = rows.execute(query, (_key(llm, asked), now.timestamp())).fetchone()
        return str(row[0]) if row else None

    def put(self, llm: Llm, asked: dict[str, Any], text: str, now: datetime) -> None:
        if not _cacheable(llm):
            return
        expires = now + (llm.cache or timedelta())
        with self._notebook.writing() as rows:
            rows.execute("DELETE FROM answers WHERE expires <= ?", (now.timestamp(),))
            row = (_key(llm, asked), text, expires.timestamp())
            rows.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)


def _cacheable(llm: Llm) -> bool:
    return llm.cache is not None and llm.temperature == 0


def _key(llm: Llm, asked: dict[str, Any]) -> str:
    """The request holds model, messages, schema and limits; two endpoints may give one name to two models."""
    azure = llm.endpoint.azure
    return digest([llm.endpoint.base_url, azure.endpoint if azure else "", asked])
