"""Keeps the alerts: takes in what happened, folds it, closes what is well again, and tells what is owed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..domain.alerts import Alert, Topic, Trouble, closed, cured, raised
from ..domain.events import Answered, Escalated, Event, RunEnded
from ..domain.manners import Manners
from ..domain.model import Run
from ..domain.telling import SECOND, Telling, What, arrived, owed
from ..domain.troubles import CURES, NATURES, of_daemon
from ..ports import AlertBook, Clock, Notice, Stale, StoreError
from .alert_intake import AlertIntake, Cure, Intake
from .outside import Fence
from .teller import Teller

LONGEST = timedelta(seconds=30)
SOON = timedelta(seconds=2)
KEPT = timedelta(days=90)
TIDY = timedelta(hours=6)
MOST_NOTICES = 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """A notice, and when it was heard."""

    notice: Notice
    at: datetime


@dataclass(frozen=True, slots=True)
class Well:
    """Nothing of this kind is wrong any more."""

    topic: Topic
    message: str
    job: str = ""

    def ends(self, alert: Alert) -> bool:
        trouble = alert.trouble
        concerned = not self.job or (trouble.subject.job == self.job and bool(trouble.matter))
        return alert.open and trouble.topic is self.topic and concerned and trouble.matter != "unstarted"


class Alerter:
    """An EventSink whose `turn` does the work, on one thread. What is heard waits in memory; runs are in the store."""

    def __init__(
        self,
        book: AlertBook,
        intake: AlertIntake,
        teller: Teller,
        manners: Callable[[], Manners],
        clock: Clock,
        fence: Fence,
    ) -> None:
        self.ring: Callable[[], None] = lambda: None
        """Called when there is something to do."""
        self._book = book
        self._intake = intake
        self._teller = teller
        self._manners = manners
        self._clock = clock
        self._fence = fence
        self._heard: deque[Heard] = deque(maxlen=MOST_NOTICES)
        self._said: dict[str, datetime] = {}
        """Fingerprints of what was told while the store was away."""
        self._tidied: datetime | None = None

    def emit(self, run: Run, event: Event) -> None:  # noqa: ARG002  # what happened is read from the store
        if isinstance(event, RunEnded | Escalated | Answered):
            self.ring()

    def notice(self, notice: Notice) -> None:
        known = notice.topic in NATURES or notice.topic in CURES
        if known and not any(one.notice == notice for one in list(self._heard)):
            self._heard.append(Heard(notice, self._clock.now()))
            self.ring()

    def turn(self) -> datetime:
        """Do what there is to do now; when to look again. Raises Stale where another daemon leads."""
        try:
            return self._turn()
        except Stale:
            raise
        except StoreError:
            self._without_store()
            return self._clock.now() + SOON

    def _turn(self) -> datetime:
        now, manners = self._clock.now(), self._manners()
        heard = list(self._heard)
        intake = self._intake.look(now, manners.daily)
        alerts = {alert.id: alert for alert in self._book.active()}
        before = dict(alerts)
        sources = self._fold(alerts, intake, heard, manners)
        self._settle(alerts)
        changed = [alert for name, alert in alerts.items() if before.get(name) != alert]
        if changed or sources:
            self._book.save(changed, sources, fence=self._fence.epoch)
        all_of_it = self._intake.looked(now)
        self._done_with(heard)
        self._tidy(now)
        coming = [self._tell(alert, manners) for alert in alerts.values()]
        coming.append(manners.daily.next(now) if manners.daily else None)
        return min([now + (LONGEST if all_of_it else timedelta(0)), *(at for at in coming if at)])

    def _fold(
        self, alerts: dict[str, Alert], intake: Intake, heard: Iterable[Heard], manners: Manners
    ) -> dict[str, datetime]:
        sources = {source: self._clock.now() for source in intake.skipped}
        happened: list[tuple[datetime, Trouble | Cure | Well]] = []
        happened += [(trouble.at, trouble) for trouble in intake.troubles]
        happened += [(cure.at, cure) for cure in intake.cures]
        happened += self._said_anew(heard)
        for at, what in sorted(happened, key=lambda each: each[0]):
            if isinstance(what, Trouble):
                sources.update(dict.fromkeys((what.source, *what.also), what.at))
                changed = [self._raised(alerts, what, manners)]
            elif isinstance(what, Cure):
                changed = cured(alerts.values(), what.job, at, what.outcome)
            else:
                changed = [closed(one, at, f"well again: {what.message}") for one in alerts.values() if what.ends(one)]
            alerts.update({alert.id: alert for alert in changed})
        return sources

    def _done_with(self, heard: Iterable[Heard]) -> None:
        self._said.clear()
        for one in heard:
            with suppress(ValueError):  # pushed out by newer ones meanwhile
                self._heard.remove(one)

    def _raised(self, alerts: dict[str, Alert], trouble: Trouble, manners: Manners) -> Alert:
        alert = raised(list(alerts.values()), trouble, manners.window)
        said = self._said.get(trouble.fingerprint)
        return arrived(alert, Telling(What.OPENED, said), said, SECOND) if said else alert

    def _said_anew(self, heard: Iterable[Heard]) -> list[tuple[datetime, Trouble | Cure | Well]]:
        """Less what was taken in before, in these very words."""
        found = [(one.at, self._translated(one)) for one in heard]
        known = self._book.known([what.source for _, what in found if isinstance(what, Trouble)])
        return [(at, what) for at, what in found if not isinstance(what, Trouble) or what.source not in known]

    def _translated(self, heard: Heard) -> Trouble | Well:
        notice = heard.notice
        if notice.topic in CURES:
            return Well(CURES[notice.topic], notice.message, notice.job or "")
        return self._trouble(heard)

    def _trouble(self, heard: Heard) -> Trouble:
        notice = heard.notice
        subject = self._intake.subject(notice.job or "")
        return of_daemon(notice.topic, notice.message, heard.at, subject, notice.run or "", notice.about)

    def _settle(self, alerts: dict[str, Alert]) -> None:
        """What was decided closes the alerts that asked for it."""
        for alert in [one for one in alerts.values() if one.open and one.asks]:
            if came := self._intake.outcome(alert, self._clock.now()):
                alerts[alert.id] = closed(alert, *came)

    def _tell(self, alert: Alert, manners: Manners) -> datetime | None:
        """Tell what is owed now; when the next of it is."""
        telling = owed(alert, manners)
        if telling is None or telling.at > self._clock.now():
            return telling.at if telling else None
        told = self._teller.tell(alert, telling, self._save)
        self._save(told)
        coming = owed(told, manners)
        return coming.at if coming else None

    def _save(self, alert: Alert) -> None:
        self._book.save([alert], {}, fence=self._fence.epoch)

    def _without_store(self) -> None:
        """Trouble with the store cannot wait in the store."""
        for one in list(self._heard):
            if NATURES.get(one.notice.topic) and NATURES[one.notice.topic].topic is Topic.STORE:
                trouble = self._trouble(one)
                telling = Telling(What.OPENED, one.at)
                if trouble.fingerprint not in self._said and self._teller.aloud(raised([], trouble, LONGEST), telling):
                    self._said[trouble.fingerprint] = self._clock.now()

    def _tidy(self, now: datetime) -> None:
        if self._tidied is None or now - self._tidied >= TIDY:
            self._tidied = now
            self._book.forget(now - KEPT)
            # Whatever was stored before is taken in: a daemon that starts anew need not look further back.
            self._book.save([], {f"looked/{now.isoformat()}": now}, fence=self._fence.epoch)
