"""The gate of a step, or of the whole job, as it is written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.domain.plan import Fresh
from tests.unit.config.workshop import DAILY, Workshop

PROBE = "fresh: {use: query, with: {date: '${run.previous_day.date}'}, until: output.rows > 10, at_most: 3h}"
GATE = Fresh(
    "query", "output.rows > 10", {"date": "${run.previous_day.date}"}, timedelta(minutes=5), timedelta(hours=3)
)


def on_step(line: str) -> str:
    return DAILY.replace("    use: query\n", f"    use: query\n    {line}\n")


def test_a_step_may_wait_for_its_source(workshop: Workshop) -> None:
    workshop.job(on_step(PROBE))
    loaded = workshop.load()
    assert loaded.faults == ()
    assert [step.fresh for step in loaded.jobs[0].plan.steps] == [GATE, None, None]


def test_the_gate_of_a_job_is_that_of_the_steps_that_begin_it(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("steps:\n", f"{PROBE}\nsteps:\n"))
    loaded = workshop.load()
    assert loaded.faults == ()
    assert [step.fresh for step in loaded.jobs[0].plan.steps] == [GATE, None, None]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fresh: {use: qery}", "there is no tool 'qery' (did you mean 'query'?)"),
        ("fresh: {use: send}", "the tool 'send' changes something, so it cannot be a probe"),
        ("fresh: {use: query, until: 'output.rwos > 1', with: {date: 2026-01-01}}", "rwos"),
        ("fresh: {use: query, with: {date: 2026-01-01}, every: 1h, at_most: 1m}", "waited for at least as long as"),
        ("fresh: {use: query, with: {date: 2026-01-01}, at_most: 24h}", "until the run's deadline"),
        ("fresh: {use: query, with: {datum: 2026-01-01}}", "there is no input 'datum'"),
    ],
)
def test_what_cannot_be_a_gate_is_refused(workshop: Workshop, line: str, message: str) -> None:
    workshop.job(on_step(line))
    assert any(message in fault for fault in workshop.faults()), workshop.faults()
