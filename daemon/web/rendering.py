"""Templates into pages. Every value that a template prints goes through the redactor: no page can forget to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..domain import times
from ..domain.pause import EVERYTHING, Pause
from ..version import __version__
from .forms import KEY_FIELD, seed
from .hiding import Hiding
from .passes import Pass
from .site import Site

TEMPLATES: Final = Path(__file__).parent / "templates"
LONGEST_JSON: Final = 20_000
DONE: Final[Mapping[str, str]] = {
    "answered": "Your answer is noted; the run takes it up at once.",
    "cancelled": "The run is asked to end.",
    "requested": "This is the run.",
    "paused": "Paused.",
    "resumed": "Resumed.",
}
"""What a page says after a form; the address holds the word only."""


class Rendering:
    def __init__(self, site: Site, hiding: Hiding) -> None:
        self._site = site
        self._hiding = hiding
        self._environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            finalize=hiding.printed,
        )
        self._environment.filters.update(
            local=_local, utc=times.utc, iso=_iso, clock=_clock, length=times.length, ago=_ago, json=pretty, day=_day
        )
        self._environment.globals.update(version=__version__, KEY_FIELD=KEY_FIELD)

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        self._hiding.renew()
        holder: Pass | None = getattr(request.state, "holder", None)
        text = self._environment.get_template(template).render(
            request=request,
            path=request.url.path,
            holder=holder,
            acts=holder is not None and holder.acts,
            form_key=self._site.passes.form_key(seed(request)) if seed(request) else "",
            now=self._site.clock.now(),
            done=DONE.get(request.query_params.get("done", ""), ""),
            held=self._held() if holder else None,
            asked=len(self._site.queries.escalations()) if holder else 0,
            **values,
        )
        return HTMLResponse(text, status)

    def _held(self) -> Pause | None:
        """The pause of everything, where there is one."""
        now = self._site.clock.now()
        pauses = self._site.queries.pauses()
        return next((one for one in pauses if one.job == EVERYTHING and one.holds(now)), None)


def pretty(value: Any) -> str:
    """JSON for people, cut where it is too long to be read."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return (
        text if len(text) <= LONGEST_JSON else f"{text[:LONGEST_JSON]}\n… {len(text) - LONGEST_JSON:,} more characters"
    )


def _local(instant: datetime, zone: str) -> str:
    return times.local(instant, zone)


def _iso(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _clock(instant: datetime, zone: str) -> str:
    return f"{instant.astimezone(ZoneInfo(zone)):%H:%M:%S}"


def _day(instant: datetime, zone: str) -> str:
    return f"{instant.astimezone(ZoneInfo(zone)):%a %d %b, %H:%M}"


def _ago(instant: datetime, now: datetime) -> str:
    """`in 3 h`, `5 min ago`."""
    span = instant - now
    words = _span(abs(span))
    return f"in {words}" if span > timedelta(0) else f"{words} ago"


def _span(span: timedelta) -> str:
    seconds = span.total_seconds()
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{seconds:.0f} s"
