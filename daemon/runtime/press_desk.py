"""Presses in Slack: each becomes a row in the inbox or a private answer, and nothing else."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ..domain.deed import Actor
from ..domain.model import Json
from ..domain.presses import CHANGE, RESUME, Press, form, press
from ..domain.wording import decided
from ..ports import AlertBook, Clock, Commands, Declined, EscalationRow, Notice, Pen, Store, StoreError
from .open_inputs import OpenInputs

GROUP_SECONDS = 300.0
"""How long the members of a group are remembered."""
BELIEVED_SECONDS = 3600.0
"""How long they are believed where Slack does not say who they are now."""
FORGET_SECONDS = 60.0
"""A press whose row nobody reads for this long is told that it waits."""


@dataclass(slots=True)
class People:
    """Who may answer: these users, and the members of these groups."""

    users: Callable[[], frozenset[str]]
    groups: Callable[[], tuple[str, ...]]
    members: Callable[[str], frozenset[str] | None]
    boot: Callable[[], float]
    _known: dict[str, tuple[float, frozenset[str]]] = field(default_factory=dict)

    def may(self, user: str) -> bool:
        return user in self.users() or any(user in self._group(group) for group in self.groups())

    def _group(self, group: str) -> frozenset[str]:
        at, known = self._known.get(group, (-BELIEVED_SECONDS, frozenset()))
        if self.boot() - at < GROUP_SECONDS:
            return known
        found = self.members(group)
        if found is None:
            return known if self.boot() - at < BELIEVED_SECONDS else frozenset()
        self._known[group] = (self.boot(), found)
        return found


@dataclass(frozen=True, slots=True)
class Awaited:
    """A press whose row is in the inbox, and has not been read yet."""

    message: int
    pressed: Press
    since: float


@dataclass(frozen=True, slots=True)
class Counter:
    """What the desk needs of the daemon."""

    commands: Commands
    store: Store
    book: AlertBook
    inputs: OpenInputs
    clock: Clock


class PressDesk:
    """`arrived` may be called from any thread and returns at once; `take` and `follow` do the work on one."""

    def __init__(
        self,
        counter: Counter,
        people: People,
        pen: Callable[[], Pen | None],
        notice: Callable[[Notice], None],
        later: Callable[[Callable[[], object]], object] = lambda work: work(),
    ) -> None:
        self._counter = counter
        self._people = people
        self._pen = pen
        self._notice = notice
        self._later = later
        """Where calls to Slack are made, so that no press waits for another's answer."""
        self._payloads: deque[Json] = deque(maxlen=1000)
        self._awaited: list[Awaited] = []
        self._rung = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def arrived(self, payload: Json) -> None:
        """A press that Slack has been told is received."""
        self._payloads.append(payload)
        self._rung.set()
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._attend, name="presses", daemon=True)
                self._thread.start()

    def take(self, payload: Json) -> None:
        """Raises StoreError."""
        pressed = press(payload)
        if pressed is None:
            return  # of another app, or a button that only opens something
        if not self._people.may(pressed.user):
            self._whisper(pressed, "You may not answer this. Who may is set in `slack.people` and `slack.groups`.")
        elif pressed.wish == RESUME:
            self._resume(pressed)
        else:
            self._answer(pressed)

    def follow(self) -> int:
        """Tell whoever came too late; how many presses still wait to be read."""
        waiting = self._awaited
        self._awaited = [one for one in waiting if not self._settled(one)]
        return len(self._awaited)

    def _resume(self, pressed: Press) -> None:
        try:
            ended = self._counter.commands.resume(_actor(pressed), pressed.mark.job)
        except Declined as refused:
            self._whisper(pressed, str(refused))
            return
        job = pressed.mark.job
        self._whisper(pressed, f"`{job}` is resumed." if ended else f"`{job}` is not paused any more.")

    def _answer(self, pressed: Press) -> None:
        mark, now = pressed.mark, self._counter.clock.now()
        row = self._counter.book.question(mark.run, mark.question)
        if refusal := _refusal(row, now):
            self._whisper(pressed, refusal)
        elif pressed.wish == CHANGE:
            self._open_form(pressed)
        else:
            self._post(pressed)

    def _post(self, pressed: Press) -> None:
        mark = pressed.mark
        try:
            changes = _changes(pressed.changes)
            message = self._counter.commands.answer(
                _actor(pressed), mark.question, pressed.wish, changes, digest=mark.digest
            )
        except Declined as refused:
            row = self._counter.book.question(mark.run, mark.question)
            self._whisper(pressed, _refusal(row, self._counter.clock.now()) or str(refused))
            return
        self._awaited.append(Awaited(message, pressed, self._counter.clock.boot()))

    def _open_form(self, pressed: Press) -> None:
        pen = self._pen()
        if pen is not None:
            view = form(pressed, self._counter.inputs.values(pressed.mark.run, pressed.mark.question))
            self._later(lambda: self._shown(pen, pressed, view))

    def _shown(self, pen: Pen, pressed: Press, view: Json) -> None:
        """Slack takes a form within three seconds of the press."""
        if (failed := pen.open(pressed.trigger, view)) is not None and pressed.channel:
            told = f"The form could not be opened ({failed.message}); press again, or answer by the page."
            pen.whisper(pressed.channel, pressed.user, told)

    def _settled(self, awaited: Awaited) -> bool:
        """Whether this press has had its answer. Who won sees the message change."""
        counter, mark = self._counter, awaited.pressed.mark
        reply = counter.store.reply(awaited.message)
        if reply == "":
            return True
        row = counter.book.question(mark.run, mark.question)
        if reply is not None or (row and row.closed_at):
            self._whisper(awaited.pressed, _refusal(row, counter.clock.now()) or f"Not taken: {reply}.")
            return True
        if counter.clock.boot() - awaited.since < FORGET_SECONDS:
            return False
        self._whisper(awaited.pressed, "Your answer is noted; the daemon has not come to it yet.")
        return True

    def _whisper(self, pressed: Press, text: str) -> None:
        pen = self._pen()
        if pen is not None and pressed.channel:
            self._later(lambda: pen.whisper(pressed.channel, pressed.user, text))

    def _attend(self) -> None:
        waiting = 0
        while True:
            self._rung.wait(0.25 if waiting else None)
            self._rung.clear()
            while self._payloads:
                self._one(self._payloads.popleft())
            try:
                waiting = self.follow()
            except StoreError:
                waiting = 1

    def _one(self, payload: Json) -> None:
        try:
            self.take(payload)
        except Exception as error:  # noqa: BLE001  # one press must not end the others
            self._notice(Notice("press_failed", f"{type(error).__name__}: {error}"))
            if pressed := press(payload):
                self._whisper(pressed, "This did not work just now; please try again in a moment.")


def _actor(pressed: Press) -> Actor:
    return Actor(pressed.name, f"slack {pressed.user}")


def _refusal(row: EscalationRow | None, now: datetime) -> str:
    if row is None:
        return "This question is not known any more."
    if row.closed_at is not None:
        return f"Already decided: {decided(row.option, row.closed_by, row.closed_at)}."
    if now >= row.expires_at:
        return f"Too late: the question expired at {row.expires_at:%Y-%m-%d %H:%MZ}, and {row.default!r} counts."
    return ""


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


def _changes(entered: Mapping[str, str]) -> dict[str, Json]:
    """Raises Declined for a text that is not JSON."""
    changes = {}
    for name, text in entered.items():
        try:
            changes[name] = json.loads(text, parse_constant=_refuse)
        except ValueError:
            raise Declined(f"{name}: {text!r} is not JSON", f'text needs quotes: "{text}"') from None
    return changes
