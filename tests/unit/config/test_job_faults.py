"""Every fault of a job file names file, line, column, what is wrong and, where there is one, the way out."""

from __future__ import annotations

import pytest

from daemon.domain.tool import BrokenTool
from tests.unit.config.workshop import CB_066, DAILY, Workshop

# what is replaced, by what, and the beginning of the one message that must come of it
TABLE = [
    ("goal: Tell", "gaol: Tell", "jobs/daily.yaml:2:1: unknown key 'gaol' (did you mean 'goal'?)"),
    (
        "goal: Tell",
        "after: x\ngoal: Tell",
        "jobs/daily.yaml:2:1: unknown key 'after' (it belongs under 'schedule')",
    ),
    (
        "  - id: count",
        "  - decide: always\n    id: count",
        "jobs/daily.yaml:7:5: unknown key 'decide' (it belongs at the top of the file)",
    ),
    ("goal: Tell the count of the day", "tags: [x]", "jobs/daily.yaml:1:1: 'goal' is missing"),
    ("id: daily", "id: Daily Report", "jobs/daily.yaml:1:5: 'id': string should match pattern"),
    ("  - id: count", "  - title: x\n    id: 7", "jobs/daily.yaml:8:9: 'id' must be text, not a number (7) (quote it)"),
    ('cron: "0 10 * * *"', "cron: 0 10 * *", "jobs/daily.yaml:5:3: job 'daily': the cron expression '0 10 * *'"),
    ("Europe/Berlin", "Europe/Berlim", "jobs/daily.yaml:3:1: there is no time zone 'Europe/Berlim'"),
    ("use: query", "use: qery", "jobs/daily.yaml:8:5: there is no tool 'qery' (did you mean 'query'?)"),
    ("date: ${run.previous_day.date}", "date: 2026-02-30", "jobs/daily.yaml:10:7: '2026-02-30' is not a 'date'"),
    ("date: ${run", "datum: ${run", "jobs/daily.yaml:10:7: there is no input 'datum' (did you mean 'date'?)"),
    ("with: {rows", "with: {title: x, rowz", "jobs/daily.yaml:13:22: there is no input 'rowz' (did you mean 'rows'?)"),
    (
        "run.previous_day.date}",
        "run.previous_day.dat}",
        "jobs/daily.yaml:10:7: ${run.previous_day.dat} points at nothing",
    ),
    (
        "run.previous_day.date}",
        "run.due}",
        "jobs/daily.yaml:10:7: ${run.due} does not fit: it is a date-time, wanted is a date",
    ),
    ("run.previous_day.date}", "run.id", "jobs/daily.yaml:10:7: '${run.id' is not a reference"),
    (
        "steps.count.output.rows} orders",
        "steps.cont.output.rows}",
        "jobs/daily.yaml:19:7: ${steps.cont.output.rows} points at",
    ),
    ("steps.count.output.rows} orders", "secrets.token}", "jobs/daily.yaml:19:7: ${secrets.token} points at nothing"),
    (
        "steps.count.output.rows} orders",
        "steps.count.output.file} x",
        "jobs/daily.yaml:19:7: ${steps.count.output.file} is no",
    ),
    (
        "steps.count.output.rows} orders",
        "steps.count.output.rows}",
        "jobs/daily.yaml:19:7: ${steps.count.output.rows} does not fit",
    ),
    ('"#sales"', "#sales", "jobs/daily.yaml:18:7: nothing is written at 'channel', wanted is text (a value that"),
    (
        "needs_weak: [picture]",
        "needs: [pictur]",
        "jobs/daily.yaml:16:13: there is no step 'pictur' (did you mean 'picture'?)",
    ),
    ("needs_weak: [picture]", "needs: [tell]", "jobs/daily.yaml:16:13: step 'tell' needs itself"),
    (
        "needs_weak: [picture]",
        "timeout: 31s",
        "jobs/daily.yaml:16:5: a step may only tighten its tool's timeout of 30s",
    ),
    (
        "needs_weak: [picture]",
        "timeout: 5 minutes",
        "jobs/daily.yaml:16:14: 'timeout': not a duration; write for example",
    ),
    ("needs_weak: [picture]", "open: [txt]", "jobs/daily.yaml:16:12: the tool 'send' has no input 'txt' to leave open"),
    (
        "needs_weak: [picture]",
        "secrets: {token: tokn}",
        "jobs/daily.yaml:16:15: no secret 'tokn' is configured (did you",
    ),
    (
        "needs_weak: [picture]",
        "secrets: {key: token}",
        "jobs/daily.yaml:16:15: the tool 'send' declares no secret 'key'",
    ),
    (
        "needs_weak: [picture]",
        "repair: {use: send}",
        "jobs/daily.yaml:16:14: the tool 'send' acts on the outside, so it",
    ),
    (
        "needs_weak: [picture]",
        "approve: yes",
        "jobs/daily.yaml:16:14: 'approve' must be true or false, not text ('yes') (write",
    ),
    (
        "needs_weak: [picture]",
        "retry: {attempts: 0}",
        "jobs/daily.yaml:16:23: 'attempts': input should be greater than",
    ),
    (
        "needs_weak: [picture]",
        'retry: {attempts: "3"}',
        "jobs/daily.yaml:16:23: 'attempts' must be a whole number, not text",
    ),
    (
        "needs_weak: [picture]",
        "on_exhausted: give_up",
        "jobs/daily.yaml:16:19: 'on_exhausted': input should be 'escalate'",
    ),
    (
        "needs_weak: [picture]",
        "accept: [{path: stat, equals: 1}]",
        "jobs/daily.yaml:16:14: the output has nothing at 'stat'",
    ),
    (
        "needs_weak: [picture]",
        "accept: [{path: state, min_length: no}]",
        "jobs/daily.yaml:16:40: 'min_length' must be a whole",
    ),
    ("needs_weak: [picture]", "accept: [{path: state, regex: '('}]", "jobs/daily.yaml:16:14: regex: missing )"),
    (
        "needs_weak: [picture]",
        "accept: [{expression: output.state >}]",
        "jobs/daily.yaml:16:14: the expression is not valid",
    ),
    (
        "needs_weak: [picture]",
        "accept: [{expression: output.stat > 1}]",
        "jobs/daily.yaml:16:14: the output has nothing at 'stat'",
    ),
    (
        "needs_weak: [picture]",
        "accept: [{path: state, contians: x}]",
        "jobs/daily.yaml:16:28: unknown key 'contians' (did you",
    ),
    (
        "use: send",
        "use: reckless",
        "jobs/daily.yaml:15:5: the tool 'reckless' acts on the outside but cannot say after a crash",
    ),
    (
        "timezone:",
        "limits: {answer_within: 24h}\ntimezone:",
        "jobs/daily.yaml:3:10: a question to a person must expire",
    ),
    ("timezone:", "limits: {steps: 2}\ntimezone:", "jobs/daily.yaml:7:1: there are 3 steps; the limit is 2"),
]


@pytest.mark.parametrize(("old", "new", "message"), TABLE, ids=[new for _, new, _ in TABLE])
def test_a_fault_is_reported_at_its_place(workshop: Workshop, old: str, new: str, message: str) -> None:
    assert old in DAILY
    workshop.job(DAILY.replace(old, new, 1))

    faults = workshop.faults()

    assert any(fault.startswith(message) for fault in faults), faults


def test_the_good_job_has_neither_faults_nor_warnings(workshop: Workshop) -> None:
    loaded = workshop.load()

    assert (loaded.faults, loaded.warnings) == ((), ())
    assert [job.id for job in loaded.jobs] == ["daily"]


def test_every_fault_of_every_file_is_listed_at_once(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("use: query", "use: nope").replace('"0 10 * * *"', '"61 10 * * *"'))
    workshop.job("id: other\nsteps: 3\n", "other")

    faults = workshop.faults()

    assert [fault.split(": ")[0] for fault in faults] == [
        "jobs/daily.yaml:5:3",
        "jobs/daily.yaml:8:5",
        "jobs/other.yaml:1:1",
        "jobs/other.yaml:2:8",
    ]


def test_a_bad_file_does_not_hurt_its_neighbours(workshop: Workshop) -> None:
    workshop.job("id: [\n", "broken")

    loaded = workshop.load()

    assert [job.id for job in loaded.jobs] == ["daily"]
    assert str(loaded.faults[0]).startswith("jobs/broken.yaml:")


def test_two_jobs_with_one_id_are_refused_with_both_places(workshop: Workshop) -> None:
    workshop.job("# a copy\n" + DAILY, "second")

    loaded = workshop.load()

    assert loaded.jobs == ()
    assert str(loaded.faults[0]).startswith(
        "jobs/second.yaml:2:1: two jobs have the id 'daily': here and at jobs/daily.yaml:1:1"
    )


def test_a_circle_of_needs_is_printed(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("    use: query\n", "    use: query\n    needs: [tell]\n"))

    assert "steps need each other in a circle: " in workshop.faults()[0]
    assert workshop.faults()[0].count(" -> ") >= 2


def test_a_broken_tool_blocks_its_own_jobs_and_says_why(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("use: query", "use: half"))
    workshop.job(DAILY.replace("id: daily", "id: sound"), "sound")
    broken = BrokenTool("half", "/tools/half.py", 3, "invalid syntax")

    loaded = workshop.load(broken=(broken,))

    assert {job.id: bool(job.broken) for job in loaded.jobs} == {"daily": True, "sound": False}
    assert "/tools/half.py:3: invalid syntax" in loaded.by_id["daily"].broken
    assert str(loaded.faults[0]).startswith("jobs/daily.yaml:8:5: the tool 'half' is broken")


def test_an_unset_zone_and_an_unset_secret_are_warnings(workshop: Workshop) -> None:
    workshop.settings("state: state\n")
    workshop.job(DAILY.replace("timezone: Europe/Berlin\n", ""))

    loaded = workshop.load()

    assert len(loaded.jobs) == 1
    assert [str(warning).split(" (")[0] for warning in loaded.warnings] == [
        "jobs/daily.yaml:1:1: no timezone is set, so the job's days are UTC days",
        "jobs/daily.yaml:14:5: the tool 'send' needs the secret 'token', which is not configured",
    ]


def test_cb_066_is_refused_and_never_runs_at_a_time_nobody_wrote(workshop: Workshop) -> None:
    workshop.job(CB_066)

    loaded = workshop.load()

    assert loaded.jobs == ()
    assert any("unknown key 'jobs'" in str(fault) for fault in loaded.faults)


def test_a_list_of_jobs_in_one_file_is_refused(workshop: Workshop) -> None:
    workshop.job("- id: one\n")

    assert workshop.faults() == [
        "jobs/daily.yaml:1:1: a job file must be a mapping (one job a file, beginning with 'id:')"
    ]
