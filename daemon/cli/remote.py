"""What another machine's daemon shows: the reading commands over its API."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from .trouble import Misuse, Refused, Unavailable

if TYPE_CHECKING:
    import httpx

    from ..domain.model import RunState
    from ..ports import EscalationRow, RunRow

T = TypeVar("T")
TOKEN = "CLOCKWRIGHT_TOKEN"  # noqa: S105 - the variable's name
TIMEOUT = 20.0


@dataclass(frozen=True, slots=True)
class Remote:
    """`url` is the address of its status page. The token comes from the environment, where no process list shows it."""

    url: str

    def jobs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._get("jobs").json()
        return found

    def runs(self, job: str | None, state: RunState | None, limit: int) -> list[RunRow]:
        from ..ports import RunRow

        asked = {"job": job, "state": state and state.value, "limit": str(min(limit, 1000))}
        return _read(list[RunRow], self._get("runs", **{name: value for name, value in asked.items() if value}))

    def run(self, run_id: str) -> dict[str, Any]:
        from urllib.parse import quote

        found: dict[str, Any] = self._get(f"runs/{quote(run_id, safe='')}").json()
        return found

    def escalations(self) -> list[EscalationRow]:
        from ..ports import EscalationRow

        return _read(list[EscalationRow], self._get("escalations"))

    def _get(self, path: str, **asked: str) -> httpx.Response:
        import httpx

        token = os.environ.get(TOKEN, "")
        if not token:
            raise Refused(f"--url needs a token of that daemon in {TOKEN}; there it is: clockwright web token")
        address = f"{self.url.rstrip('/')}/api/v1/{path}"
        try:
            answer = httpx.get(address, params=asked, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unavailable(f"{self.url} does not answer: {error}") from error
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            raise Refused(f"{self.url} does not know the token in {TOKEN}")
        if answer.status_code != httpx.codes.OK:
            raise _said(answer, self.url)
        return answer


def _said(answer: httpx.Response, url: str) -> Misuse | Unavailable:
    try:
        detail = str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return Unavailable(f"{url} is no Clockwright: it answers {answer.status_code}")
    return Misuse(detail) if answer.is_client_error else Unavailable(f"{url}: {detail}")


def _read(kind: type[T], answer: httpx.Response) -> T:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(answer.content)
    except ValidationError as error:
        raise Unavailable("the daemon there is of another version: its answer cannot be read") from error
