"""`clockwright account` and `clockwright why`: every due instant, and what became of it."""

from __future__ import annotations

from contextlib import closing, suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from ..domain import times
from ..domain.nearest import did_you_mean
from . import printing
from .exit_codes import ExitCode
from .session import Session
from .trouble import Misuse

if TYPE_CHECKING:
    from ..app import Daemon
    from ..domain.model import Run
    from ..domain.reckoning import Reckoned
    from ..domain.revision import Revision

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
JobName = Annotated[str, typer.Argument(metavar="JOB", help="The job's id; a removed job has one too.")]
DAYS = 7
AROUND = timedelta(days=2)


def register(app: typer.Typer) -> None:
    app.command()(account)
    app.command()(why)


def account(
    context: typer.Context,
    job: JobName,
    first: Annotated[
        str | None, typer.Option("--from", metavar="YYYY-MM-DD", help="First local day; a week ago without it.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="YYYY-MM-DD", help="Last local day; today without it.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Each instant, not only the sums.")] = False,
    as_json: AsJson = False,
) -> int:
    """Work out anew when a job was due, and say what became of each instant. Ends with 1 where one has no row."""
    from ..domain.reckoning import UNACCOUNTED, totals

    session: Session = context.obj
    with closing(session.observer()) as daemon:
        revisions = _history(daemon, job)
        zone = _zone(daemon, revisions)
        start, end = _days(first, last, zone, datetime.now(UTC))
        found = _reckoned(daemon, job, revisions, start, end)
    sums = totals(found)
    if as_json:
        printing.say_json({"job": job, "from": start, "to": end, "due": len(found), "sums": sums,
                           "instants": [_document(one) for one in found]})  # fmt: skip
    else:
        if every:
            rows = [(times.local(one.instant, zone), one.disposition, _run(one), one.reason) for one in found]
            printing.say_table(("due", "came to", "run", "reason"), rows, "nothing was due")
        shares = [(name, str(number), f"{100 * number / len(found):.1f} %") for name, number in sorted(sums.items())]
        printing.say_table(("came to", "instants", "share"), [*shares, ("all that were due", str(len(found)), "100 %")],
                           "nothing was due")  # fmt: skip
    return ExitCode.FAILED if sums.get(UNACCOUNTED) else ExitCode.OK


def why(
    context: typer.Context,
    job: JobName,
    at: Annotated[str, typer.Option("--at", metavar="TIME", help="2026-03-10T10:00, in the job's zone.")],
    as_json: AsJson = False,
) -> None:
    """Why a job ran, did not run, or was late at a time."""
    session: Session = context.obj
    with closing(session.observer()) as daemon:
        revisions = _history(daemon, job)
        zone = _zone(daemon, revisions)
        moment = _moment(at, zone)
        near = _reckoned(daemon, job, revisions, moment - AROUND, moment + AROUND)
        found = next((one for one in near if one.instant == moment), None)
        runs = _runs(daemon, job, moment) if found else []
        paused = [pause.told for pause in daemon.store.pauses() if pause.job in {job, "*"}]
    if as_json:
        made = [{"id": run.id, "cause": run.cause, "state": run.state.value} for run in runs]
        told = _document(found) if found else {}
        printing.say_json({"job": job, "at": moment, "due": found is not None, **told, "runs": made})
        return
    typer.echo(_told(found, zone) if found else _not_due(near, moment, zone))
    for line in (*(_evidence(found) if found else ()), *map(_made, runs), *paused):
        typer.echo(f"  {line}")


def _told(one: Reckoned, zone: str) -> str:
    words = {"owed": "is not decided yet", "unaccounted": "has no row in the ledger, although it should have one"}
    said = words.get(one.disposition, one.disposition.replace("_", " "))
    reason = f": {one.reason}" if one.reason else ""
    return f"due at {times.local(one.instant, zone)} ({times.utc(one.instant)}): {said}{reason}"


def _evidence(one: Reckoned) -> list[str]:
    if one.row is None:
        return []
    data = one.row.occurrence.data
    lines = [f"reports on {data.day} ({data.timezone}, zone data {data.zone_data})"]
    lines += [f"written down at {times.local(one.row.recorded_at, data.timezone)}"] if one.row.recorded_at else []
    return lines + [f"{name.replace('_', ' ')}: {value}" for name, value in one.row.evidence.items()]


def _runs(daemon: Daemon, job: str, instant: datetime) -> list[Run]:
    """Every run there is for the instant, the first one first: those made again have a revision of their own."""
    from ..domain.birth import run_id

    latest = daemon.store.latest(job, instant)
    found = []
    for number in range(latest.revision if latest else 0):
        with suppress(KeyError):  # forgotten by now
            found.append(daemon.store.load(run_id(job, instant, number + 1)))
    return found


def _made(run: Run) -> str:
    ended = f"{run.state}: {run.reason}" if run.reason else str(run.state)
    return f"run {run.id} ({run.cause}): {ended}"


def _not_due(near: list[Reckoned], moment: datetime, zone: str) -> str:
    before = [times.local(one.instant, zone) for one in near if one.instant < moment][-1:]
    after = [times.local(one.instant, zone) for one in near if one.instant > moment][:1]
    around = ", ".join([*(f"before that at {at}" for at in before), *(f"after it at {at}" for at in after)])
    return f"not due at {times.local(moment, zone)}" + (f"; {around}" if around else " or within two days of it")


def _reckoned(daemon: Daemon, job: str, revisions: list[Revision], start: datetime, end: datetime) -> list[Reckoned]:
    from ..domain.chain import links
    from ..domain.reckoning import reckon, reckon_chain

    beyond = daemon.queries.ledger_after(job, end)
    rows = [*daemon.queries.ledger(job, start, end), *([beyond] if beyond else [])]
    until, mark = min(end, datetime.now(UTC)), daemon.store.watermarks().get(job)
    found = list(reckon(revisions, rows, mark, start, until))
    if chain := list(links(revisions)):
        # Whose ledger does not matter to somebody who has none: every success counts.
        done = [success for link in chain for success in daemon.store.followed("", link, None, frozenset()).owed]
        known = {one.instant for one in found}
        found += [one for one in reckon_chain(done, rows, mark, start, end) if one.instant not in known]
    return sorted(found, key=lambda one: one.instant)


def _history(daemon: Daemon, job: str) -> list[Revision]:
    revisions = daemon.store.revisions(job)
    if not revisions:
        known = {revision.job for revision in daemon.store.revisions()}
        raise Misuse(f"no schedule of {job!r} was ever in force here", did_you_mean(job, known))
    return revisions


def _zone(daemon: Daemon, revisions: list[Revision]) -> str:
    """That of the newest schedule; for a job that follows another one, the other's."""
    met: set[str] = set()
    while revisions and (upstream := revisions[-1].after) and upstream not in met:
        met.add(upstream)
        revisions = daemon.store.revisions(upstream)
    return next((revision.schedule.timezone for revision in reversed(revisions) if revision.schedule), "UTC")


def _days(first: str | None, last: str | None, zone: str, now: datetime) -> tuple[datetime, datetime]:
    today = now.astimezone(ZoneInfo(zone)).date()
    end = _day(last) if last else today
    start = _day(first) if first else end - timedelta(days=DAYS)
    if start > end:
        raise Misuse(f"{start} is after {end}", "--from is the first day, --to the last one")
    return _midnight(start, zone), _midnight(end + timedelta(days=1), zone)


def _midnight(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Misuse(f"{text!r} is not a date", "write it as YYYY-MM-DD") from None


def _moment(text: str, zone: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise Misuse(f"{text!r} is not a time", "write it as 2026-03-10T10:00") from None
    return (found if found.tzinfo else found.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)


def _run(one: Reckoned) -> str:
    return (one.row.run if one.row else None) or ""


def _document(one: Reckoned) -> dict[str, Any]:
    row = one.row
    return {
        "due": one.instant,
        "disposition": one.disposition,
        "reason": one.reason,
        "run": row.run if row else None,
        "evidence": dict(row.evidence) if row else {},
    }
