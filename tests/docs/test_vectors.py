"""The sixteen vectors that a scheduler has to stand: each is a test somewhere, and stays one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
VECTORS = {
    "1 every zone, every night slot, every change": {
        "unit/domain/test_every_zone.py": [
            "test_every_distinct_history_of_changes_is_kept",
            "test_every_zone_is_kept",
        ],
    },
    "2 Apia, Lord Howe, Cairo, Beirut, Casablanca": {
        "unit/domain/test_schedule.py": ["test_cb_007_a_daily_job_runs_once_on_every_local_day"],
        "unit/domain/test_every_zone.py": ["test_every_distinct_history_of_changes_is_kept"],
    },
    "3 started inside the gap and both halves of the fold": {
        "unit/domain/test_schedule.py": ["test_vector_3_starting_anywhere_around_a_change_gives_the_same_instants"],
    },
    "4 weekdays, and both day fields": {
        "unit/domain/test_cron.py": [
            "test_cb_001_weekdays_are_those_of_crontab",
            "test_both_day_fields_are_pointed_out",
        ],
    },
    "5 what never fires is refused": {
        "unit/domain/test_cron.py": ["test_cb_003_what_cannot_be_meant_is_refused"],
    },
    "6 down for one slot, many, longer than the window; by kill, freeze, clock step": {
        "unit/runtime/test_owed.py": ["test_the_ledgers_are_identical"],
        "system/kill/test_every_second.py": ["test_every_second_has_one_run_whatever_is_frozen_or_killed"],
    },
    "7 the clock steps back, forward, ten years": {
        "unit/runtime/test_owed.py": [
            "test_vector_7_a_jump_tells_once_and_repeats_nothing",
            "test_a_jump_of_years_waits_for_a_person",
        ],
    },
    "8 an edited schedule": {
        "unit/runtime/test_owed.py": [
            "test_vector_8_an_edited_schedule_never_fires_the_past",
            "test_a_running_run_is_not_touched",
        ],
    },
    "9 killed anywhere": {
        "system/kill/test_kills.py": [
            "test_ten_kills_on_sqlite_lose_nothing_and_double_nothing",
            "test_a_daemon_killed_around_the_post_posts_once",
        ],
    },
    "10 the store read-only, locked, full, gone, corrupt": {
        "integration/test_sql_store.py": [
            "test_a_locked_database_is_unavailable_until_it_is_free",
            "test_a_full_disk_stores_nothing_and_is_survived",
            "test_a_read_only_file_is_said_to_be_so",
            "test_a_file_that_has_gone_is_not_made_anew",
            "test_a_row_that_cannot_be_read_is_left_alone_and_hurts_no_other",
        ],
        "unit/runtime/test_scheduler.py": ["test_a_tick_that_fails_is_made_good_by_the_next"],
    },
    "11 a step that ignores SIGTERM and forks": {
        "integration/test_sandbox.py": [
            "test_a_hung_tool_is_gone_with_all_descendants_within_a_second_of_its_deadline"
        ],
        "system/kill/test_waiting.py": [
            "test_a_hung_run_holds_its_job_up_until_its_deadline_and_no_longer_and_no_other_job"
        ],
    },
    "12 two daemons, one frozen and woken": {
        "system/kill/test_two_daemons.py": [
            "test_a_frozen_daemon_that_comes_back_commits_nothing_and_sends_nothing",
        ],
        "system/kill/test_every_second.py": ["test_every_second_has_one_run_whatever_is_frozen_or_killed"],
    },
    "13 a tool renamed or removed between runs": {
        "unit/test_changed_tools.py": ["test_a_tool_that_is_gone_or_different_stops_the_run_and_asks"],
    },
    "14 hundreds due at once": {
        "unit/runtime/test_owed.py": ["test_vector_14_of_many_due_at_once_none_is_lost_and_the_urgent_go_first"],
    },
    "15 the data date half an hour after midnight": {
        "unit/domain/test_calendar.py": [
            "test_vector_15_a_run_half_an_hour_after_midnight_reports_on_the_day_before",
        ],
    },
    "16 SIGTERM in the middle of a step": {
        "system/kill/test_stopping.py": [
            "test_a_signal_in_the_middle_of_a_long_step_ends_the_daemon_after_its_grace",
            "test_what_was_interrupted_goes_on_once_at_the_next_start",
        ],
    },
}


@pytest.mark.parametrize("vector", VECTORS)
def test_a_vector_has_its_tests(vector: str) -> None:
    for file, wanted in VECTORS[vector].items():
        tree = ast.parse((TESTS / file).read_text())
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert set(wanted) <= there, f"{file} has lost {set(wanted) - there}"


def test_no_vector_is_forgotten() -> None:
    assert [vector.split()[0] for vector in VECTORS] == [str(number) for number in range(1, 17)]
