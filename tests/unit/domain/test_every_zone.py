"""Vector 1: every IANA zone, twelve night slots, every change of 2026 and 2027."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest

from daemon.domain.schedule import Schedule, due_between
from daemon.domain.zone import DAY, Change, changes

SLOTS = [(hour, minute) for hour in range(6) for minute in (0, 30)]
HOUR = timedelta(hours=1)


def zone_changes() -> dict[str, tuple[Change, ...]]:
    zones = sorted(available_timezones() - {"localtime", "Factory"})
    found = {zone: changes(zone, 2026) + changes(zone, 2027) for zone in zones}
    return {zone: moved for zone, moved in found.items() if moved}


def one_zone_for_each_history() -> Iterator[tuple[str, tuple[Change, ...]]]:
    """Zones that change alike are due alike: what is due follows from the changes alone."""
    return ((zone, moved) for moved, zone in {moved: zone for zone, moved in zone_changes().items()}.items())


def assert_right(zone: str, change: Change) -> None:
    start, end = change.at - 3 * DAY, change.at + 3 * DAY
    for hour, minute in SLOTS:
        assert_once_a_day(Schedule(f"{minute} {hour} * * *", zone), change)
    for minute in (0, 30):
        hours = list(due_between(Schedule(f"{minute} * * * *", zone), start, end))
        # Half an hour's change leaves one odd gap; any other leaves none.
        odd = (change.after - change.before) % HOUR
        assert abs(len(hours) - (end - start) / HOUR) <= bool(odd), (zone, change)
        assert {later - earlier for earlier, later in pairwise(hours)} <= {HOUR, HOUR + odd, HOUR - odd}


def assert_once_a_day(schedule: Schedule, change: Change) -> None:
    zone = ZoneInfo(schedule.timezone)
    first = change.at.astimezone(zone).date() - 2 * DAY
    found = due_between(schedule, change.at - 4 * DAY, change.at + 4 * DAY)
    days = Counter(due.astimezone(zone).date() for due in found)
    assert [days[first + n * DAY] for n in range(5)] == [1] * 5, (schedule, change)


@pytest.mark.slow
def test_every_distinct_history_of_changes_is_kept() -> None:
    histories = list(one_zone_for_each_history())
    assert len(histories) > 20
    for zone, moved in histories:
        for change in moved:
            assert_right(zone, change)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_zone_is_kept() -> None:
    zones = zone_changes()
    assert len(zones) > 150
    for zone, moved in zones.items():
        for change in moved:
            assert_right(zone, change)
