"""Everything the runtime may ask of the outside world, as small protocols. Fakes for all of them are shipped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from .domain.alerts import Alert
from .domain.chain import Link, Success
from .domain.deed import Actor, Deed
from .domain.errors import ClockwrightError
from .domain.events import Event
from .domain.job import Disposition, LedgerRow
from .domain.model import Decision, Failed, Json, Purpose, Reconciled, Run, RunState, Succeeded
from .domain.pause import Pause
from .domain.plan import Plan
from .domain.policy import Ask
from .domain.presses import Button
from .domain.revision import Revision
from .domain.severity import Severity as Severity  # noqa: PLC0414 - exported from here


class StoreError(ClockwrightError):
    """The store could not do what it was asked; nothing was written."""


class StoreUnavailable(StoreError):
    """Locked, full, read-only or unreachable for now; the caller may try again."""


class Stale(StoreError):
    """Someone else has changed or taken over what was to be written: stop at once, or reload and reapply."""


class AlreadyDelivered(Stale):
    """An attempt would cause an effect that was delivered, or that another run may be delivering: reload, and look."""


class Unreadable(StoreError):
    """A row that this version cannot read; it is left alone and its run is quarantined."""


class Declined(ClockwrightError):
    """What a person asks for cannot be done as things are; the message says why, the hint what can."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)


class Unknown(Declined):
    """There is nothing of that name."""


class Clock(Protocol):
    """Wall time for what people see; `boot` (seconds, counts suspend) for durations and leases."""

    def now(self) -> datetime: ...

    def boot(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Birth:
    """A run to be stored together with its ledger row (none for a request) and what it started already."""

    run: Run
    events: tuple[Event, ...] = ()
    ledger: LedgerRow | None = None
    deed: Deed | None = None
    """What asked for it; with a key that was used before, nothing is stored."""


@dataclass(frozen=True, slots=True)
class Change:
    """One unit of work on a run: `after` replaces the stored run whose epoch is equal and version one lower."""

    before: Run
    after: Run
    events: tuple[Event, ...]
    folded: tuple[int, ...] = ()
    """Ids of the inbox messages that these events answer."""
    replies: Mapping[int, str] = field(default_factory=dict)
    """Why a folded message was not obeyed; one without a reply was."""


class EffectState(StrEnum):
    INTENT = "intent"
    DELIVERED = "delivered"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class EffectRow:
    """What is known of one effect key: who meant to cause it, until when, and the receipt if it happened."""

    key: str
    state: EffectState
    run: str
    step: str
    attempt: int
    deadline: datetime
    output: Json = None
    summary: str = ""


class Journal(Protocol):
    """Beside the store, which effects were about to be caused: a store that was put back knows less than it."""

    def note(self, intent: EffectRow) -> None:
        """Before anything is sent. Raises StoreUnavailable."""
        ...

    def entries(self) -> list[EffectRow]:
        """The newest for each key."""
        ...


class MessageKind(StrEnum):
    ANSWER = "answer"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Message:
    """Something a person wants of a run. People only ever insert these; the run's driver folds them."""

    run: str
    kind: MessageKind
    by: str
    at: datetime
    body: Mapping[str, Json] = field(default_factory=dict)
    id: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """What of some jobs goes on: the oldest unfinished run of each, and the runs there are for their instants."""

    running_since: Mapping[str, datetime]
    made: Mapping[tuple[str, datetime], str]


@dataclass(frozen=True, slots=True)
class Followed:
    """What a job that is followed has done. `unfinished` are its runs that may still succeed."""

    owed: list[Success]
    unfinished: frozenset[str]


class Store(Protocol):
    """The truth. Every method is one transaction and durable when it returns. Raises StoreError."""

    def create(
        self,
        births: Sequence[Birth],
        rows: Sequence[LedgerRow] = (),
        watermarks: Mapping[str, datetime] | None = None,
        *,
        owner: str = "",
        fence: int = 0,
    ) -> list[bool]:
        """Insert runs, account for the instants that get none, move watermarks, all in one transaction.

        False for a birth whose (job, instant, revision), or whose deed's key, exists already; a ledger row that
        exists stays as it is.
        A job's watermark is the instant up to which all are accounted for.
        """
        ...

    def watermarks(self) -> Mapping[str, datetime]: ...

    def revise(
        self, revisions: Sequence[Revision], watermarks: Mapping[str, datetime] | None = None, *, fence: int = 0
    ) -> None:
        """Add schedules to the history of their jobs, and watermarks; one that is there already stays."""
        ...

    def revisions(self, job: str | None = None) -> list[Revision]:
        """By job, oldest first."""
        ...

    def pause(self, pause: Pause) -> None:
        """It takes the place of an earlier pause of the same job."""
        ...

    def resume(self, job: str, at: datetime, by: str) -> bool:
        """False where the job is not paused."""
        ...

    def pauses(self) -> list[Pause]:
        """Those that nobody has ended; one may be over by its own time."""
        ...

    def activity(self, jobs: Iterable[str], since: datetime) -> Activity:
        """Unfinished runs of any job, and those of `jobs` for instants after `since`; no dry runs."""
        ...

    def followed(self, follower: str, link: Link, since: datetime | None, also: Set[str]) -> Followed:
        """Successes within the link that the ledger of `follower` says nothing of.

        Those of runs that were queued after `since` (None: whenever), or that are among `also`; no dry runs.
        """
        ...

    def load(self, run_id: str) -> Run:
        """Raises KeyError for an unknown run, Unreadable for one that this version cannot read."""
        ...

    def latest(self, job: str, instant: datetime) -> Run | None:
        """The newest revision for that instant."""
        ...

    def claim(self, run_id: str, owner: str, *, fence: int = 0) -> Run:
        """Take the run over under the next epoch. Raises Stale where it has ended or another claim came first."""
        ...

    def commit(self, change: Change) -> None:
        """Raises Stale when the run's epoch or version is not the one this change was made from."""
        ...

    def due(self, now: datetime, owner: str, limit: int) -> list[str]:
        """Runs that need a driver: queued, not `owner`'s, past their wake time, or with an unread message."""
        ...

    def next_wake(self, but: Collection[str] = ()) -> datetime | None:
        """The earliest wake time of the unfinished runs, those of `but` left out."""
        ...

    def note(self, deed: Deed) -> None:
        """Add to the audit log. One whose key is there already stays as it is."""
        ...

    def deed(self, key: str) -> Deed | None:
        """What was done under that key."""
        ...

    def post(self, message: Message) -> int: ...

    def messages(self, run_id: str) -> list[Message]:
        """The unfolded ones, oldest first."""
        ...

    def reply(self, message: int) -> str | None:
        """None while nobody has read the message; empty where it was obeyed; else why it was not."""
        ...

    def effect(self, key: str) -> EffectRow | None: ...

    def remember(self, intents: Sequence[EffectRow], *, fence: int = 0) -> int:
        """Hold as intended what this store knows nothing of, or only an earlier attempt that came to nothing.

        How many those are.
        """
        ...

    def save_plan(self, digest: str, body: Json) -> None: ...

    def save_plans(self, bodies: Mapping[str, Json]) -> None:
        """By digest, all in one transaction; one that is there already stays."""
        ...

    def load_plan(self, digest: str) -> Json: ...

    def lead(self, owner: str, seconds: float) -> int | None:
        """Take or renew the one lease of this store; its epoch, or None while another live owner holds it."""
        ...

    def resign(self, owner: str) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of a list of runs."""

    id: str
    job: str
    instant: datetime
    revision: int
    date: str
    state: RunState
    cause: str
    reason: str
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class EscalationRow:
    """One question with the run it belongs to."""

    id: str
    run: str
    job: str
    step: str | None
    question: str
    options: tuple[str, ...]
    default: str
    asked_at: datetime
    expires_at: datetime
    digest: str = ""
    option: str = ""
    """What was decided; empty while it is open, and where it closed without an answer."""
    closed_by: str = ""
    closed_at: datetime | None = None
    """None while it is open."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A job's newest runs in short, newest first: all their states, and the newest and every unfinished one in full."""

    states: tuple[RunState, ...] = ()
    last: RunRow | None = None
    unfinished: tuple[RunRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Accounted:
    """One due instant in short: how it was accounted for, and how the run that carries it stands."""

    instant: datetime
    disposition: Disposition
    run: str | None
    state: RunState | None


class Queries(Protocol):
    """What the CLI and the page read. Never used to decide anything."""

    def run(self, run_id: str) -> Run:
        """Raises KeyError, Unreadable."""
        ...

    def plan(self, digest: str) -> Plan:
        """Raises KeyError."""
        ...

    def runs(
        self, job: str | None = None, state: RunState | None = None, limit: int = 50, before: str | None = None
    ) -> list[RunRow]:
        """Newest first; those that come after the run `before` in that order."""
        ...

    def recent(self, jobs: Sequence[str], each: int) -> Mapping[str, Recent]:
        """Of every one of these jobs its newest runs, at most `each`."""
        ...

    def events(self, run_id: str) -> list[Event]: ...

    def escalations(self, include_closed: bool = False) -> list[EscalationRow]: ...

    def ledger(self, job: str, start: datetime, end: datetime) -> list[LedgerRow]:
        """From `start` up to, not including, `end`; a row that stands for many counts by its last instant."""
        ...

    def ledger_after(self, job: str, instant: datetime) -> LedgerRow | None:
        """The first row at or after that instant: the one that stands for it, if any does."""
        ...

    def accounted(self, job: str, start: datetime, limit: int) -> list[Accounted]:
        """The newest rows of the ledger at or after `start`, newest first."""
        ...

    def watermarks(self) -> Mapping[str, datetime]: ...

    def pauses(self) -> list[Pause]: ...

    def effects(self, run_id: str) -> list[EffectRow]: ...

    def deeds(self, limit: int = 50, before: datetime | None = None) -> list[Deed]:
        """The audit log, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class Requested:
    """`run` is new, or the one that stands for what was asked for already."""

    run: Run
    new: bool


class Commands(Protocol):
    """What people may want of the daemon, from wherever they ask. Every one is in the audit log before it is done.

    Raises Declined, Unknown, StoreError.
    """

    def answer(
        self, actor: Actor, escalation: str, option: str, changes: Mapping[str, Json], *, digest: str = ""
    ) -> int:
        """The message, whose reply says what came of it.

        `digest` is that of the question as it was shown; one that has changed since is not answered.
        """
        ...

    def cancel(self, actor: Actor, run_id: str) -> None: ...

    def pause(self, actor: Actor, job: str, why: str, until: datetime | None) -> None: ...

    def resume(self, actor: Actor, job: str) -> bool:
        """False where it was not paused."""
        ...

    def retry(self, actor: Actor, run_id: str, *, send: bool = False) -> Run: ...

    def request(self, actor: Actor, job: str, day: date | None, *, dry_run: bool = False, key: str = "") -> Requested:
        """A run for that day, yesterday in the job's zone where none is named. The same `key`: the same run."""
        ...


@dataclass(frozen=True, slots=True)
class Vitals:
    """What the store says of how things stand, as one bounded look; for metrics and health, never to decide anything.

    `outbox` counts effects that are meant and not known to be delivered, of runs that have not ended.
    """

    watermarks: Mapping[str, datetime] = field(default_factory=dict)
    open_runs: Mapping[str, int] = field(default_factory=dict)
    open_since: Mapping[str, datetime] = field(default_factory=dict)
    """The instant of each job's oldest unfinished run."""
    escalations: int = 0
    oldest_escalation: datetime | None = None
    outbox: int = 0
    oldest_outbox: datetime | None = None
    alerts: int = 0
    pauses: tuple[Pause, ...] = ()


@dataclass(frozen=True, slots=True)
class LastRuns:
    """How the newest runs of a job came out."""

    success: datetime | None = None
    seconds: float | None = None
    """How long the newest that ended took."""


class Signs(Protocol):
    """What is measured by looking. Raises StoreError."""

    def vitals(self) -> Vitals: ...

    def last_runs(self, job: str) -> LastRuns: ...


@dataclass(frozen=True, slots=True)
class News:
    """What has been stored since: runs that ended, and due instants that got none although they should have."""

    ended: list[RunRow]
    unstarted: list[LedgerRow]
    until: datetime | None = None
    """How far it goes, where there was more than was asked for."""


def reached(ended: Sequence[RunRow], unstarted: Sequence[LedgerRow], limit: int) -> datetime | None:
    """How far news of at most `limit` goes; None for all the way."""
    times = [ended[-1].ended_at] if len(ended) >= limit else []
    times += [unstarted[-1].recorded_at] if len(unstarted) >= limit else []
    return min((at for at in times if at), default=None)


class AlertBook(Protocol):
    """Where alerts are kept. One writer, the leader; a write names its fence. Raises StoreError."""

    def news(self, since: datetime, limit: int) -> News:
        """Oldest first, at most `limit` of either; no dry runs."""
        ...

    def spent(self, runs: Sequence[str]) -> list[str]:
        """The costs of all decisions made in these runs, as they were written down; an empty one is unknown."""
        ...

    def active(self) -> list[Alert]:
        """Those of which something may still be told, oldest first."""
        ...

    def known(self, sources: Sequence[str]) -> frozenset[str]:
        """Those of them that were taken in already."""
        ...

    def newest(self) -> datetime | None:
        """The time of the latest source that was taken in."""
        ...

    def question(self, run: str, question: str) -> EscalationRow | None:
        """Open or closed; None where it is not stored any more."""
        ...

    def save(self, alerts: Sequence[Alert], sources: Mapping[str, datetime], *, fence: int = 0) -> None:
        """In one transaction; an alert that is there is replaced."""
        ...

    def forget(self, before: datetime) -> None:
        """Alerts that are finished, and sources, that are older."""
        ...


@dataclass(frozen=True, slots=True)
class Letter:
    """One message of the daemon's own for Slack. `thread` is the stamp of the message that it goes below."""

    channel: str
    headline: str
    markdown: str
    mentions: tuple[str, ...] = ()
    thread: str = ""
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class LetterReceipt:
    """A letter that is there: where, as Slack names it, and for people."""

    channel: str
    stamp: str
    link: str


class Courier(Protocol):
    """Delivers letters to Slack, each effect key at most once. Both calls wait for the outcome."""

    def post(self, letter: Letter, key: str, until: datetime) -> LetterReceipt | Failed:
        """Nothing is sent after `until`."""
        ...

    def ask(self, letter: Letter, key: str) -> LetterReceipt | Reconciled | Failed:
        """Whether Slack has the letter under that key."""
        ...


class SecondChannel(Protocol):
    """Another way to people, for when Slack is down, or is what is wrong."""

    def send(self, title: str, text: str, severity: Severity) -> str:
        """Why it could not be sent; empty where it was."""
        ...


class Pen(Protocol):
    """What is done to a message that Slack has already, and for one pair of eyes. Each may be repeated."""

    def edit(self, letter: Letter, stamp: str) -> Failed | None:
        """Put the letter in the place of the message with that stamp."""
        ...

    def whisper(self, channel: str, user: str, text: str) -> Failed | None:
        """Say something in the channel that only this user sees."""
        ...

    def open(self, trigger: str, view: Json) -> Failed | None:
        """Show a form to whoever pressed."""
        ...

    def members(self, group: str) -> frozenset[str]:
        """Ids of the users in a group; empty where Slack does not say."""
        ...


class Attic(Protocol):
    """Where ended runs go when they are old enough to be forgotten. Raises StoreError."""

    def count(self, job: str, before: datetime) -> int:
        """Runs of the job that ended before that."""
        ...

    def prune(self, job: str, before: datetime, most: int) -> int:
        """Forget the oldest of them, at most that many, in one transaction; how many went.

        What the ledger says of them, and every receipt, stays.
        """
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt as the sandbox sees it. `deadline` is wall time for the tool; `seconds` is what is enforced.

    `expires` is the deadline on the boot clock, which no step of the wall clock moves. A question to a receiver says
    since when the effect may have happened.
    """

    id: str
    tool: str
    purpose: Purpose
    input: Json
    workdir: Path
    deadline: datetime
    seconds: float
    effect_key: str | None = None
    parts: tuple[str, ...] = ()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    outbox: Path | None = None
    dry_run: bool = False
    expires: float | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call came out, with the last of what the tool printed."""

    outcome: Succeeded | Failed | Reconciled
    tail: str = ""


class Running(Protocol):
    def kill(self) -> None:
        """End the call at once; it then comes out as `interrupted`."""
        ...


class ToolRunner(Protocol):
    """Runs one call in isolation and reports exactly once, from any thread."""

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running: ...

    def close(self) -> None: ...


class Decider(Protocol):
    """Chooses A, B or C."""

    def takes_time(self, job: str) -> bool:
        """It does I/O for this job, so what is known so far is committed before it is asked."""
        ...

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision: ...


class Artifacts(Protocol):
    """Files by content digest."""

    def workdir(self, call_id: str) -> Path:
        """A fresh folder for one call."""
        ...

    def keep(self, workdir: Path, artifact: Json) -> None:
        """Store, durably, a file that the call wrote or passed on.

        Raises ValueError where there is no such file or its digest differs, StoreError where it cannot be stored.
        """
        ...

    def give(self, workdir: Path, artifact: Json) -> None:
        """Lay a stored file, read-only, where the call will look for it."""
        ...

    def put(self, content: bytes) -> str:
        """Keep bytes under their digest, durably."""
        ...

    def note(self, content: bytes) -> str:
        """Keep bytes under their digest; a power cut may forget what was noted last, so nothing may depend on it."""
        ...

    def get(self, sha256: str) -> bytes: ...

    def path(self, sha256: str) -> Path: ...

    def discard(self, workdir: Path) -> None: ...

    def forget(self, before: datetime) -> int:
        """Delete what nobody has kept, given out or put since; how many files."""
        ...


@dataclass(frozen=True, slots=True)
class Posted:
    """One message in the local outbox: a folder named by its effect key."""

    key: str
    at: datetime
    channel: str
    text: str
    files: tuple[str, ...] = ()


class OutboxReader(Protocol):
    """What lies in the local outbox."""

    def newest(self, limit: int = 50) -> list[Posted]: ...

    def file(self, key: str, name: str) -> bytes:
        """`index.html`, `message.json`, or `files/NAME`. Raises KeyError."""
        ...


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that happened to the daemon rather than to a run: `topic` is one of a fixed list, for folding."""

    topic: str
    message: str
    severity: Severity = Severity.WARNING
    job: str | None = None
    run: str | None = None


class EventSink(Protocol):
    """An observer of committed events and of notices: metrics, logs, alerts. It may fail; the run never notices."""

    def emit(self, run: Run, event: Event) -> None: ...

    def notice(self, notice: Notice) -> None: ...


@runtime_checkable
class Meter(Protocol):
    """An observer that is also told what no run's event says."""

    def accounted(self, rows: Sequence[LedgerRow]) -> None:
        """Due instants got their disposition."""
        ...

    def committed(self, seconds: float) -> None:
        """A unit of work became durable; `seconds` is what its caller waited."""
        ...
