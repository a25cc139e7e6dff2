"""The `model` section: for all jobs, for one, or for none."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.config.amounts import amount
from daemon.domain.llm import Budget, Endpoint, Llm, Mode, Prices, Scope
from tests.unit.config.workshop import DAILY, Workshop

ALL = """\
secrets: {token: {env: TOKEN}}
model:
  model: gpt-4.1-mini
  api_key: token
  prices: {input: 0.40, output: "1.60"}
  budgets: {day: {tokens: 200000, money: 2}}
"""


def model(workshop: Workshop) -> Llm | None:
    loaded = workshop.load()
    assert not loaded.faults
    return loaded.by_id["daily"].model


def test_without_a_model_the_rule_decides(workshop: Workshop) -> None:
    assert model(workshop) is None


def test_the_settings_name_the_model_of_every_job(workshop: Workshop) -> None:
    workshop.settings(ALL)
    assert model(workshop) == Llm(
        Endpoint("gpt-4.1-mini", api_key="token"),
        prices=Prices(Decimal("0.40"), Decimal("1.60")),
        budgets={Scope.DAY: Budget(200_000, Decimal(2))},
    )


def test_a_job_says_what_differs(workshop: Workshop) -> None:
    workshop.settings(ALL)
    workshop.job(DAILY + "model: {timeout: 5s, base_url: 'http://127.0.0.1:1/v1', mode: json}\n")
    own = model(workshop)
    assert own
    assert (own.timeout, own.endpoint.base_url) == (timedelta(seconds=5), "http://127.0.0.1:1/v1")
    assert (own.endpoint.mode, own.endpoint.model) == (Mode.JSON, "gpt-4.1-mini")


def test_a_job_can_be_left_to_the_rule(workshop: Workshop) -> None:
    workshop.settings(ALL)
    workshop.job(DAILY + "model: {use: false}\n")
    assert model(workshop) is None


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{timeout: 5s}", "no model is named"),
        ("{model: m, api_key: tokn}", "no secret 'tokn' is configured"),
        ("{model: m, budgets: {run: {money: 1}}}", "a budget in money needs prices"),
        ("{model: m, prompts: {decide: none.md}}", "there is no file"),
        ("{model: m, prompts: {decide: jobs/daily.yaml}}", "it must begin with a front matter"),
        ("{model: m, prompts: {other: none.md}}", "other"),
        ("{model: m, temperature: 3}", "temperature"),
        ("{model: m, prices: {input: cheap, output: 1}}", "not an amount"),
        ("{model: m, base_url: x, azure: {endpoint: e, api_version: v, deployment: d}}", "under 'azure'"),
    ],
)
def test_a_faulty_section_is_refused_with_its_place(workshop: Workshop, section: str, said: str) -> None:
    workshop.job(DAILY + f"model: {section}\n")
    [fault] = workshop.faults()
    assert said in fault
    assert fault.startswith("jobs/daily.yaml:")


def test_a_prompt_of_ones_own_is_found_beside_the_configuration(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("---\nversion: 7\n---\n<!-- system -->\nChoose.\n<!-- user -->\n{{ snapshot }}\n")
    workshop.job(DAILY + "model: {model: m, prompts: {decide: mine.md}}\n")
    own = model(workshop)
    assert own
    assert own.prompts == {"decide": str(tmp_path / "mine.md")}


@pytest.mark.parametrize("written", [True, None, [], "x", "-1", "NaN", float("inf"), -0.5])
def test_what_is_no_amount_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="amount"):
        amount(written)


def test_a_goal_that_a_decider_could_not_see_whole_is_refused(workshop: Workshop) -> None:
    workshop.job(DAILY.replace("Tell the count of the day", "x" * 3000))
    [fault] = workshop.faults()
    assert "a decider must see it whole" in fault
