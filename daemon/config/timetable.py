"""From a job's `schedule` section to when it is due and how it deals with what it owes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

from ..domain import cron as crontab
from ..domain.preview import cautions
from ..domain.public_holidays import known
from ..domain.references import Key
from ..domain.schedule import Fold, Gap, Schedule
from ..domain.timing import WEEKDAYS, Blackout, Calendar, CatchUp, Overlap, Timing
from ..domain.zone import DAY, SECOND
from .faults import Fault
from .sections import CalendarSection, JobSection, ScheduleSection

At = Callable[..., Fault]
NOTHING = ScheduleSection()


@dataclass(frozen=True)
class Timetable:
    """One job's schedule, checked. It is read in `zone`; `at(path, message, hint)` makes a fault at its place."""

    job: JobSection
    zone: str
    at: At

    @property
    def section(self) -> ScheduleSection:
        return self.job.schedule or NOTHING

    @property
    def after(self) -> str:
        return self.section.after or ""

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(self._faults()) if self.job.schedule else ()

    @cached_property
    def schedule(self) -> Schedule | None:
        """None where the job has none, or it is due after another one. Only called without faults."""
        section = self.section
        if section.cron is None and section.every is None:
            return None
        return Schedule(
            cron=crontab.parse(section.cron).fields if section.cron is not None else "",
            timezone=self.zone,
            every=section.every,
            anchor=datetime.fromisoformat(section.anchor) if section.anchor else None,
            gap=Gap(section.gap) if section.gap else None,
            fold=Fold(section.fold) if section.fold else None,
        )

    @cached_property
    def timing(self) -> Timing:
        section = self.section
        return Timing(
            catch_up=CatchUp(section.catch_up),
            window=section.catch_up_window,
            limit=section.catch_up_limit,
            overlap=Overlap(section.overlap),
            queue=section.queue,
            start_within=section.start_within,
            finish_within=section.finish_within,
            jitter=section.jitter or timedelta(0),
            priority=section.priority,
            calendar=_calendar(section.calendar),
        )

    @property
    def often(self) -> bool:
        """Several instants share a local date."""
        if self.section.every is not None:
            return self.section.every < DAY
        return self._cron is not None and self._cron.often

    def warnings(self, *, zone_is_known: bool = True) -> Iterator[Fault]:
        key = "cron" if self.section.cron is not None else "every"
        for caution in self._cron.cautions if self._cron else ():
            yield self._at(key, f"{self.section.cron!r}: {caution}")
        if zone_is_known and not self.faults and self.schedule:
            for caution in cautions(self.schedule, datetime.now(UTC)):
                yield self._at(key, f"{self.schedule.written!r}: {caution}")

    @cached_property
    def _cron(self) -> crontab.Cron | None:
        try:
            return crontab.parse(self.section.cron) if self.section.cron is not None else None
        except ValueError:
            return None

    def _faults(self) -> Iterator[Fault]:
        section = self.section
        kinds = [name for name in ("cron", "every", "after") if getattr(section, name) is not None]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of them"
            yield self.at(("schedule",), f"a schedule has exactly one of cron, every and after, not {found}")
        yield from self._cron_fault()
        yield from self._interval_faults()
        yield from self._idle_faults()
        yield from self._calendar_faults()

    def _cron_fault(self) -> Iterator[Fault]:
        written = self.section.cron
        try:
            crontab.parse(written if written is not None else "@daily")
        except ValueError as reason:
            yield self._at("cron", f"job {self.job.id!r}: the cron expression {written!r} cannot be: {reason}")

    def _interval_faults(self) -> Iterator[Fault]:
        every, anchor = self.section.every, self.section.anchor
        if every is not None and (every < SECOND or every.microseconds):
            yield self._at("every", "an interval is at least one second and a number of whole seconds")
        if anchor is not None and not _is_wall_time(anchor):
            yield self._at(
                "anchor", f"{anchor!r} is no local time", "write for example 2026-01-05T10:15, without a zone"
            )

    def _idle_faults(self) -> Iterator[Fault]:
        """Settings that would have no effect are refused: whoever wrote them expects one."""
        section, written = self.section, self.section.model_fields_set
        by_step = section.every is not None and section.every % DAY != timedelta(0)
        idle = {
            "anchor": section.every is None,
            "gap": by_step or bool(section.after),
            "fold": by_step or bool(section.after),
            "queue": section.overlap != "queue",
            "catch_up_limit": section.catch_up != "all",
            "catch_up_window": section.catch_up == "none",
            "jitter": bool(section.after),
            "catch_up": bool(section.after),
        }
        if section.after and "overlap" in written and section.overlap != "allow":
            yield self._at("overlap", f"'overlap: {section.overlap}' has no effect here", _EFFECT["catch_up"])
        for name in sorted(written):
            if idle.get(name):
                yield self._at(name, f"{name!r} has no effect here", _EFFECT[name])

    def _calendar_faults(self) -> Iterator[Fault]:
        calendar = self.section.calendar
        if calendar.holidays and not known(calendar.holidays):
            hint = "a country code, and its part after a dash: DE, DE-BE, US-CA"
            yield self.at(
                ("schedule", "calendar", "holidays"), f"no holidays are known for {calendar.holidays!r}", hint
            )
        for name in ("include", "exclude"):
            for number, text in enumerate(getattr(calendar, name)):
                if not _is_date(text):
                    yield self.at(("schedule", "calendar", name, number), f"{text!r} is not a date")

    def _at(self, key: Key, message: str, hint: str = "") -> Fault:
        return self.at(("schedule", key), message, hint)


_EFFECT = {
    "anchor": "it belongs to 'every'",
    "gap": "an interval of real time knows no clock changes",
    "fold": "an interval of real time knows no clock changes",
    "queue": "it belongs to 'overlap: queue'",
    "catch_up_limit": "it belongs to 'catch_up: all'",
    "catch_up_window": "with 'catch_up: none' nothing is caught up",
    "jitter": "a job that follows another starts at once",
    "catch_up": "a job that follows another runs for each date that the other has done, one after the other",
}


def _calendar(section: CalendarSection) -> Calendar:
    return Calendar(
        business_days=section.business_days,
        holidays=section.holidays,
        include=frozenset(map(date.fromisoformat, section.include)),
        exclude=frozenset(map(date.fromisoformat, section.exclude)),
        blackouts=tuple(
            Blackout(
                time.fromisoformat(blackout.from_),
                time.fromisoformat(blackout.to),
                frozenset(map(WEEKDAYS.index, blackout.days)),
            )
            for blackout in section.blackouts
        ),
    )


def _is_wall_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False
