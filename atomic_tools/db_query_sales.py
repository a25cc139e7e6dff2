"""Fetch one local day of sales, and the days it is compared with, from the user's own database.

The day is half open and as long as the zone makes it (23 to 25 hours). The source is only read. `aggregate`
groups in the source, `rows` keeps every row; `calculate_kpis` gets equal figures from both.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from atomic_tools import (
    Artifact,
    BadDataError,
    InvalidInputError,
    MisconfiguredError,
    ToolContext,
    ToolInput,
    ToolOutput,
    tool,
)

from ._sales import Finding, LocalDay
from ._sales_artifact import MEDIA_TYPE, About, Writer
from ._sales_connect import reading
from ._sales_day import local_day
from ._sales_fetch import Plan, plan, write
from ._sales_seen import instant
from ._sales_source import Mapping, Select

OnNoData = Literal["report", "skip", "fail", "ask"]
_HINTS = {
    "fail": "check that the day was loaded into the source",
    "ask": "retry once it is loaded, or retry with on_no_data set to report where the day really was empty",
}


class Input(ToolInput):
    """Which day of which shop; exactly one of `mapping` and `select`."""

    date: date
    """The local calendar day."""
    timezone: str
    """The shop's zone, such as Europe/Berlin."""
    url: str | None = None
    """SQLAlchemy URL of the source; unset, the secret `database_url` is used."""
    mapping: Mapping | None = None
    """The columns of a table of orders or of order lines."""
    select: Select | None = None
    """A SELECT of your own between `:start` and `:end`."""
    mode: Literal["aggregate", "rows"] = "aggregate"
    """Group in the source, or keep every row; the figures are the same."""
    on_no_data: OnNoData = "report"
    """What a day without sales means: `report` says so in a report, `skip` ends the run well without one, `fail` fails
    this step, and `ask` fails it with a question (where the step opens this input, a person may answer `report`)."""
    row_cap: Annotated[int, Field(ge=1)] = 10_000_000
    """More rows (or groups) than this in one statement are refused, never cut off."""
    statement_timeout: Annotated[float, Field(gt=0, le=3600)] = 120
    """Seconds that the source may take for one statement."""

    @model_validator(mode="after")
    def _one_description(self) -> Self:
        if (self.mapping is None) == (self.select is None):
            raise ValueError("give exactly one of `mapping` and `select`")
        return self


class Output(ToolOutput):
    """The data by reference, and what it covers."""

    mode: Literal["aggregate", "rows"]
    data: Artifact
    """Parquet, for `calculate_kpis`: the day and the days it is compared with."""
    day: LocalDay
    rows: int
    """Source rows of the day that count."""
    facts: int
    """Rows of the artifact, all days together."""
    first_at: datetime | None
    last_at: datetime | None
    """First and last stamp of the day; in aggregate mode the hours that they lie in."""
    no_data: bool
    on_no_data: OnNoData
    currencies: tuple[str, ...]
    findings: tuple[Finding, ...]
    preview: Annotated[tuple[dict[str, str], ...], Field(max_length=5)]
    as_of: datetime

    def summary(self) -> str:
        """The day, how much there is of it, and how much was left out."""
        what = f"{self.rows} rows ({', '.join(self.currencies)})" if not self.no_data else "no sales"
        left_out = ", ".join(f"{finding.code} {finding.count}" for finding in self.findings)
        line = f"{self.day.date} {self.day.timezone}: {what}, mode {self.mode}"
        return (f"{line}; {left_out}" if left_out else line)[:200]


@tool(effect="none", timeout=timedelta(minutes=10), optional_secrets=("database_url",))
def db_query_sales(request: Input, context: ToolContext) -> Output:
    """Fetch one local day of sales from the user's own database."""
    day = local_day(request.date, request.timezone)
    as_of = datetime.now(UTC)
    path = context.new_file("sales.parquet")
    described = request.mapping or request.select
    assert described is not None  # noqa: S101 - the input's validator has seen to it
    with reading(_url(request, context), _seconds(request, context)) as connection:
        decided = plan(connection, described, day, request.mode, request.row_cap)
        with Writer(path, decided.columns) as writer:
            write(connection, decided, writer)
            writer.finish(_about(request, decided, as_of))
    _refuse_empty(request, decided)
    return _output(request, decided, day, as_of, context.keep(path, MEDIA_TYPE), writer.rows)


def _url(request: Input, context: ToolContext) -> str:
    url = request.url or context.secrets.get("database_url")
    if not url:
        raise MisconfiguredError("no source is named", hint="set `url`, or the secret database_url")
    return url


def _seconds(request: Input, context: ToolContext) -> float:
    left = -context.late()
    if left <= 0:
        raise InvalidInputError("the deadline has passed before the query")
    return min(request.statement_timeout, left)


def _about(request: Input, decided: Plan, as_of: datetime) -> About:
    return About(
        mode=request.mode,
        date=request.date,
        timezone=request.timezone,
        as_of=as_of,
        distinct_orders=decided.distinct or decided.mode == "aggregate",
        findings=decided.review.tally.findings(),
    )


def _refuse_empty(request: Input, decided: Plan) -> None:
    if request.on_no_data not in _HINTS or decided.seen.rows:
        return
    raise BadDataError(
        f"no sales on {request.date} ({request.timezone}), and on_no_data is {request.on_no_data}",
        hint=_HINTS[request.on_no_data],
    )


def _output(request: Input, decided: Plan, day: LocalDay, as_of: datetime, data: Artifact, facts: int) -> Output:
    seen = decided.seen
    return Output(
        mode=request.mode,
        data=data,
        day=day,
        rows=seen.rows,
        facts=facts,
        first_at=instant(seen.first),
        last_at=instant(seen.last),
        no_data=seen.rows == 0,
        on_no_data=request.on_no_data,
        currencies=tuple(sorted(seen.currencies)),
        findings=decided.review.tally.findings(),
        preview=tuple(seen.preview),
        as_of=as_of,
    )
