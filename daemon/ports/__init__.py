"""Everything the runtime may ask of the outside world, as small protocols. Fakes for all of them are shipped."""

from ..domain.severity import Severity
from .alert_book import AlertBook, News
from .artifacts import Artifacts
from .clock import Clock
from .commands import Commands, Requested
from .decider import Decider
from .effects import EffectRow, EffectState, Journal
from .errors import AlreadyDelivered, Declined, Stale, StoreError, StoreUnavailable, Unknown, Unreadable
from .letters import Courier, Letter, LetterReceipt, Pen, SecondChannel
from .observers import EventSink, Meter, Notice
from .outbox import OutboxReader, Posted
from .queries import Accounted, EscalationRow, Queries, Recent, RunRow
from .signs import LastRuns, Signs, Vitals
from .store import Activity, Attic, Birth, Change, Followed, Message, MessageKind, Store
from .tools import Call, Ended, Running, ToolRunner

__all__ = [
    "Accounted",
    "Activity",
    "AlertBook",
    "AlreadyDelivered",
    "Artifacts",
    "Attic",
    "Birth",
    "Call",
    "Change",
    "Clock",
    "Commands",
    "Courier",
    "Decider",
    "Declined",
    "EffectRow",
    "EffectState",
    "Ended",
    "EscalationRow",
    "EventSink",
    "Followed",
    "Journal",
    "LastRuns",
    "Letter",
    "LetterReceipt",
    "Message",
    "MessageKind",
    "Meter",
    "News",
    "Notice",
    "OutboxReader",
    "Pen",
    "Posted",
    "Queries",
    "Recent",
    "Requested",
    "RunRow",
    "Running",
    "SecondChannel",
    "Severity",
    "Signs",
    "Stale",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "ToolRunner",
    "Unknown",
    "Unreadable",
    "Vitals",
]
