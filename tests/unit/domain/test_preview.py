"""The next clock changes, told before they come."""

from __future__ import annotations

from datetime import UTC, datetime

from daemon.domain.preview import previews
from daemon.domain.schedule import Schedule

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_next_two_changes_are_shown_with_what_is_due_around_them() -> None:
    spring, autumn = previews(Schedule("30 2 * * *", "Europe/Berlin"), NOW)
    assert [at.isoformat() for at in spring.due] == ["2026-03-29T01:00:00+00:00"]
    assert [at.isoformat() for at in autumn.due] == ["2026-10-25T00:30:00+00:00"]
    assert spring.touched
    assert autumn.touched


def test_a_time_outside_a_change_is_not_touched_by_it() -> None:
    assert [preview.touched for preview in previews(Schedule("30 4 * * *", "Europe/Berlin"), NOW)] == [False, False]


def test_a_zone_without_changes_has_nothing_to_show() -> None:
    assert previews(Schedule("30 2 * * *", "Asia/Tokyo"), NOW) == []


def test_a_frequent_schedule_shows_only_some() -> None:
    assert all(preview.more for preview in previews(Schedule("*/5 * * * *", "Europe/Berlin"), NOW))
