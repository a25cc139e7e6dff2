"""Slack's own client without its habits: it sends nothing twice, follows nobody elsewhere, and logs nothing."""

from __future__ import annotations

import json
import logging
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from slack_sdk import WebClient

_QUIET = logging.getLogger("atomic_tools.slack.quiet")
_QUIET.setLevel(logging.CRITICAL + 1)  # the client would log addresses of uploads and whole answers


def client(token: str | None, api: str, seconds: float) -> WebClient:
    """`seconds` bound each operation of the socket. Its retry handlers, which would send a post again, are off."""
    return _Straight(
        token=token,
        base_url=api,
        timeout=seconds,  # type: ignore[arg-type]  # it is handed to the socket, which takes fractions
        retry_handlers=[],
        logger=_QUIET,
    )


class _Nowhere(HTTPRedirectHandler):
    """A redirect is an answer like any other: whoever it leads to would be given the token."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Straight(WebClient):
    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:  # noqa: ARG002
        """The client's one way to the network. What is no JSON object counts as an answer that says nothing."""
        try:
            answer = self._opener().open(req, timeout=self.timeout)
        except HTTPError as refusal:
            answer = refusal
        with answer:
            told = _object(answer.read())
            return {"status": answer.status, "headers": answer.headers, "body": "", "parsed_body": told}

    def _opener(self) -> OpenerDirector:
        through = [ProxyHandler({"http": self.proxy, "https": self.proxy})] if self.proxy else []
        return build_opener(_Nowhere, *through)


def _object(content: bytes) -> dict[str, Any]:
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
