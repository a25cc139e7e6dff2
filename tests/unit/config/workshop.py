"""A small config folder and a few tools to try it with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

from daemon.config import Loaded, load, read_settings
from daemon.domain.draft import Toolbox
from daemon.domain.tool import BrokenTool, Effect, ToolSpec

ARTIFACT = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "sha256": {"type": "string"}},
    "required": ["name", "sha256"],
    "additionalProperties": False,
}


def schema(required: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "$defs": {"Artifact": ARTIFACT},
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


FILE = {"$ref": "#/$defs/Artifact"}
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 0}

QUERY = ToolSpec(
    name="query",
    description="Counts",
    effect=Effect.NONE,
    timeout=timedelta(seconds=30),
    version="1",
    secrets=(),
    destination=(),
    reconcile=False,
    input_schema=schema("date", date={"type": "string", "format": "date"}, limit=COUNT, mode={"enum": ["all", "some"]}),
    output_schema=schema("rows file", rows=COUNT, file=FILE, note={"anyOf": [TEXT, {"type": "null"}]}),
    digest="q",
    path="/tools/query.py",
)
CHART = replace(
    QUERY,
    name="chart",
    input_schema=schema("rows", rows={"type": "number"}, title=TEXT),
    output_schema=schema("chart", chart=FILE, alt=TEXT),
)
SEND = replace(
    QUERY,
    name="send",
    effect=Effect.EXTERNAL,
    reconcile=True,
    secrets=("token",),
    destination=("channel",),
    input_schema=schema(
        "channel text",
        channel=TEXT,
        text=TEXT,
        chart={"anyOf": [FILE, {"type": "null"}]},
        tags={"type": "array", "items": TEXT},
    ),
    output_schema=schema("state", state=TEXT),
)
RECKLESS = replace(SEND, name="reckless", reconcile=False)
TOOLS: Mapping[str, ToolSpec] = {tool.name: tool for tool in (QUERY, CHART, SEND, RECKLESS)}

DAILY = """\
id: daily
goal: Tell the count of the day
timezone: Europe/Berlin
schedule:
  cron: "0 10 * * *"
steps:
  - id: count
    use: query
    with:
      date: ${run.previous_day.date}
  - id: picture
    use: chart
    with: {rows: "${steps.count.output.rows}"}
  - id: tell
    use: send
    needs_weak: [picture]
    with:
      channel: "#sales"
      text: "${steps.count.output.rows} orders"
      chart: ${steps.picture.output.chart}
"""

CB_066 = """\
jobs:
  - id: daily
    at: 10:00
    country: NO
    on: monday
    channel: #sales
    retries: "3"
    code: 010
    ratio: 1_000
    cron: 0 10 * * *
"""


@dataclass(frozen=True)
class Workshop:
    """Writes configuration below `folder` and loads it."""

    folder: Path

    def settings(self, text: str) -> None:
        (self.folder / "clockwright.yaml").write_text(dedent(text))

    def job(self, text: str, name: str = "daily") -> None:
        (self.folder / "jobs" / f"{name}.yaml").write_text(dedent(text))

    def load(self, environment: str | None = None, *, broken: tuple[BrokenTool, ...] = (), **environ: str) -> Loaded:
        settings = read_settings(self.folder, environment, environ)
        return load(settings, Toolbox(TOOLS, {tool.name: tool for tool in broken}, settings.secrets.names))

    def faults(self, **environ: str) -> list[str]:
        settings = read_settings(self.folder, environ=environ)
        return [str(fault) for fault in load(settings, Toolbox(TOOLS, {}, settings.secrets.names)).faults]
