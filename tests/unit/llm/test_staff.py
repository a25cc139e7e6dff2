"""Who decides for which job, and that a new configuration takes effect while a decision is being made."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from daemon.adapters.llm.prompts import PromptError
from daemon.adapters.llm.staff import Staff
from daemon.domain.actions import Ask
from daemon.domain.llm import Endpoint, Llm
from daemon.domain.model import Decision, Letter, Run
from daemon.domain.plan import Plan, Step
from daemon.testing.tools import make_plan, make_run

NOW = datetime(2026, 3, 2, tzinfo=UTC)
PLAN = make_plan([Step("s", "look")])
ASK = Ask("s", (Letter.A,), Letter.A, "its needs are met")
SMALL, LARGE = Llm(Endpoint("small", "http://127.0.0.1:1/v1")), Llm(Endpoint("large", "http://127.0.0.1:1/v1"))


class Office:
    """Decides by the name of its model."""

    def __init__(self, models: Mapping[str, Llm]) -> None:
        self.models = models
        self.closed = False

    def takes_time(self, job: str) -> bool:
        return job in self.models

    def decide(self, plan: Plan, ask: Ask, run: Run, now: datetime) -> Decision:  # noqa: ARG002  # the shape of the port
        return Decision(Letter.A, "look", self.models[plan.job].endpoint.model, "model", ask.rule)

    def close(self) -> None:
        self.closed = True


def why(staff: Staff) -> str:
    return staff.decide(PLAN, ASK, make_run(PLAN, NOW), NOW).reason


def staff(models: Mapping[str, Llm], opened: list[Office]) -> Staff:
    def open_office(wanted: Mapping[str, Llm]) -> Office:
        opened.append(Office(wanted))
        return opened[-1]

    return Staff(models, open_office)  # type: ignore[arg-type]  # what a Staff asks of an office is here


def test_without_a_model_the_rule_decides_and_nothing_is_opened() -> None:
    opened: list[Office] = []

    assert why(staff({}, opened)) == "its needs are met"
    assert opened == []


def test_only_a_job_with_a_model_waits_for_it() -> None:
    made = staff({"report": SMALL}, [])

    assert (made.takes_time("report"), made.takes_time("other")) == (True, False)


def test_another_model_decides_after_a_reload_and_the_first_is_closed_at_the_end_only() -> None:
    opened: list[Office] = []
    made = staff({"report": SMALL}, opened)
    made.renew({"report": LARGE})

    assert (why(made), [office.closed for office in opened]) == ("large", [False, False])
    made.close()
    assert all(office.closed for office in opened)


def test_the_same_models_are_not_opened_again() -> None:
    opened: list[Office] = []
    made = staff({"report": SMALL}, opened)
    made.renew({"report": SMALL})

    assert len(opened) == 1


def test_a_model_that_is_taken_away_leaves_the_job_to_the_rule() -> None:
    made = staff({"report": SMALL}, [])
    made.renew({})

    assert (why(made), made.takes_time("report")) == ("its needs are met", False)


def test_where_the_new_models_cannot_be_had_the_old_ones_go_on() -> None:
    def open_office(wanted: Mapping[str, Llm]) -> Office:
        if wanted["report"] is LARGE:
            raise PromptError("no such prompt")
        return Office(wanted)

    made = Staff({"report": SMALL}, open_office)  # type: ignore[arg-type]  # as above
    with pytest.raises(PromptError):
        made.renew({"report": LARGE})

    assert why(made) == "small"
