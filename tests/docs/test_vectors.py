"""The sixteen vectors that a scheduler has to stand, and what is promised of time: each is a test, and stays one."""

from __future__ import annotations

import ast
from collections.abc import Mapping
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


PROMISES = {
    "a source is waited for, durably, and a run that did not wait long enough says so": {
        "unit/test_freshness.py": [
            "test_it_is_asked_again_until_it_is",
            "test_after_so_long_the_run_goes_on_degraded_and_says_so",
            "test_the_wait_is_a_stored_time_that_a_restart_does_not_change",
        ],
        "system/kill/test_waiting.py": [
            "test_a_source_is_waited_for_over_a_kill_and_one_that_is_never_complete_degrades_in_time"
        ],
    },
    "a run is made again as a new revision, and two runs are compared": {
        "unit/cli/test_backfill.py": [
            "test_a_retry_is_a_new_revision_for_the_same_date_that_does_not_send_again",
            "test_a_retry_sends_again_where_that_is_asked_for",
        ],
    },
    "a schedule is read strictly, and what may surprise is pointed out": {
        "unit/config/test_schedules.py": [
            "test_what_would_have_no_effect_or_cannot_be_is_refused",
            "test_what_may_surprise_is_pointed_out",
        ],
        "unit/test_time_casebook.py": [
            "test_what_can_never_be_due_is_refused_by_job_and_expression_and_nothing_else_is"
        ],
    },
    "APScheduler wakes, and decides nothing": {
        "integration/test_alarm.py": [
            "test_apscheduler_ends_the_sleep_when_something_is_due",
            "test_without_anything_due_the_sweep_ends_the_sleep",
            "test_a_clock_whose_thread_has_died_is_noticed_and_wound_again",
        ],
    },
    "a job chooses what a clock change does to it, and the next two are shown": {
        "unit/domain/test_schedule.py": [
            "test_a_job_chooses_what_a_gap_does_to_it",
            "test_a_job_chooses_which_of_two_hours_counts",
        ],
        "unit/cli/test_clock_changes.py": ["test_both_changes_are_told_with_what_is_due_around_them"],
    },
    "each due instant has one final disposition, with reason and evidence": {
        "unit/domain/test_ledger.py": [
            "test_every_owed_instant_is_decided_or_stays_owed",
            "test_whatever_is_not_started_has_a_reason",
        ],
        "unit/test_invariants.py": ["test_invariant_1_every_due_instant_gets_exactly_one_disposition"],
    },
    "what was due is worked out anew, and a missing row shows": {
        "unit/domain/test_reckoning.py": ["test_every_due_instant_comes_to_something", "test_a_missing_row_shows"],
        "unit/cli/test_accounts.py": [
            "test_the_sums_are_all_that_was_due_and_what_is_missing_shows",
            "test_why_names_the_reason_and_the_evidence",
            "test_why_names_every_run_that_was_made_for_the_instant",
        ],
    },
    "one policy for every cause, spread, and above a threshold a person is asked": {
        "unit/runtime/test_owed.py": [
            "test_the_ledgers_are_identical",
            "test_what_was_due_meanwhile_is_caught_up_by_the_same_rule",
            "test_late_starts_are_spread",
            "test_above_a_threshold_a_person_is_asked_first",
        ],
    },
    "a hung run does not hold its job up for ever": {
        "system/kill/test_waiting.py": [
            "test_a_hung_run_holds_its_job_up_until_its_deadline_and_no_longer_and_no_other_job"
        ],
    },
    "calendars, jitter, start deadline, priority, limits by tag": {
        "unit/domain/test_timing.py": [
            "test_a_calendar_says_why_a_day_is_left_out",
            "test_a_blackout_over_midnight_belongs_to_the_day_on_which_it_begins",
            "test_the_spread_of_a_job_is_always_the_same_and_never_longer_than_its_jitter",
        ],
        "unit/runtime/test_owed.py": [
            "test_vector_14_of_many_due_at_once_none_is_lost_and_the_urgent_go_first",
            "test_a_tag_limits_how_many_work_at_once",
        ],
    },
    "a data date is fixed once, however the run comes about": {
        "unit/runtime/test_owed.py": ["test_they_are_the_same"],
        "unit/domain/test_calendar.py": ["test_the_last_whole_week_and_month_are_fixed_with_the_day"],
    },
    "a backfill repeats nothing": {
        "unit/cli/test_backfill.py": [
            "test_every_day_gets_one_run_and_a_repetition_repeats_nothing",
            "test_a_dry_run_says_what_would_run",
            "test_what_follows_another_job_is_filled_for_the_days_on_which_that_one_is_due",
        ],
    },
    "a chain fires once for each date, whatever happened": {
        "unit/runtime/test_chains.py": [
            "test_it_fires_for_the_instant_and_the_data_date_of_the_other",
            "test_it_fires_once_whatever_kept_the_daemon_from_it",
            "test_one_that_a_person_ran_for_a_date_is_not_run_again_when_the_other_has_done_it",
        ],
        "unit/test_invariants.py": ["test_invariant_1_every_success_is_followed_exactly_once"],
    },
    "a trigger is signed, and its key makes one run": {
        "unit/web/test_api.py": ["test_what_is_not_signed_so_is_refused"],
        "system/web/test_serve.py": [
            "test_a_key_makes_one_run_although_the_daemon_is_killed_and_a_forged_call_makes_none"
        ],
    },
    "a pause says who and why, wherever somebody looks": {
        "unit/cli/test_status.py": ["test_who_paused_everything_is_said_first"],
        "unit/web/test_pages.py": ["test_a_pause_of_everything_stands_on_every_page_until_somebody_resumes"],
        "unit/adapters/test_gauges.py": ["test_a_pause_of_everything_shows_in_each_job_and_in_the_line_of_the_daemon"],
    },
    "a reload takes in what is good, refuses what is not, and forgets nothing": {
        "system/operations/test_reload.py": [
            "test_a_reload_takes_in_what_is_good_refuses_what_is_not_and_forgets_nothing"
        ],
        "unit/runtime/test_owed.py": ["test_a_removed_job_keeps_its_history_and_cancels_what_it_owes"],
    },
    "every sign of life stops with the loop": {
        "unit/runtime/test_liveness.py": ["test_the_watchdog_the_gauge_and_the_heartbeat_stop_when_the_loop_stalls"],
        "unit/adapters/test_heartbeats.py": ["test_start_success_failure_and_cancellation_are_told_apart"],
    },
    "absence is told once, with its cause": {
        "unit/runtime/test_lookout.py": [
            "test_a_paused_job_is_told_once_with_who_paused_it_and_once_more_when_it_is_well",
            "test_what_is_still_late_is_not_told_again",
            "test_what_became_well_while_no_daemon_was_at_work_is_said_to_be",
        ],
    },
    "many due at once cost few transactions": {
        "unit/runtime/test_scheduler.py": ["test_many_jobs_due_at_once_are_fired_in_one_transaction_for_two_hundred"],
    },
}
"""What docs/scheduling.md and its neighbours say of time, each with the tests that hold it."""


@pytest.mark.parametrize(
    ("told", "promise"), [pytest.param(told, name, id=name) for told in (VECTORS, PROMISES) for name in told]
)
def test_a_promise_has_its_tests(told: Mapping[str, Mapping[str, list[str]]], promise: str) -> None:
    for file, wanted in told[promise].items():
        tree = ast.parse((TESTS / file).read_text())
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert set(wanted) <= there, f"{file} has lost {set(wanted) - there}"


def test_no_vector_is_forgotten() -> None:
    assert [vector.split()[0] for vector in VECTORS] == [str(number) for number in range(1, 17)]
