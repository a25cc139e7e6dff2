"""The decider: two answers at most, then the rule, and a record of everything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.llm.spending import Account
from daemon.domain.errors import Kind
from daemon.domain.llm import Budget, Llm, Mode, Prices, Scope
from daemon.domain.model import Letter
from daemon.testing.scripted_endpoint import (
    HTML,
    Reply,
    called,
    completion,
    decision,
    error,
    mode_of,
    nothing,
    understanding,
)
from tests.unit.llm.scene import MODEL, NOW, Office, any_letter, failed
from tests.unit.llm.scripted_client import ScriptedClient

Make = Callable[..., Office]
GOOD = decision("B", "query_sales", "A lock passes.")
BAD = completion("I am not sure.")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Make]:
    made: list[Office] = []

    def make(*replies: Reply, llm: Llm = MODEL, secrets: tuple[str, ...] = (), **client: Any) -> Office:
        made.append(Office(tmp_path, llm, ScriptedClient(*replies, **client), secrets))
        return made[-1]

    yield make
    for one in made:
        one.close()


def asked_of(office: Office) -> list[dict[str, Any]]:
    assert isinstance(office.client, ScriptedClient)
    return office.client.requests


def test_a_good_answer_decides(office: Make) -> None:
    at = office(GOOD)
    made = at.decide(failed())
    assert (made.letter, made.by, made.reason, made.rule) == (Letter.B, "model", "A lock passes.", Letter.B)
    assert (made.model, made.prompt_version, made.tokens_in, made.tokens_out) == ("scripted", "decide/1", 100, 10)


def test_the_record_holds_snapshot_prompt_and_answer_under_their_digests(office: Make) -> None:
    at = office(GOOD)
    made = at.decide(failed())
    assert json.loads(at.artifacts.get(made.snapshot))["current_step_index"] == 0
    assert [m["role"] for m in json.loads(at.artifacts.get(made.prompt))["messages"]] == ["system", "user"]
    assert json.loads(at.artifacts.get(made.answer))["decision"] == "B"


def test_a_bad_answer_is_asked_about_once_and_stored_with_why(office: Make) -> None:
    at = office(BAD, GOOD)
    made = at.decide(failed())
    assert made.by == "model"
    assert made.rejected == ("invalid: there is no JSON object with a decision | I am not sure.",)
    repair = asked_of(at)[1]["messages"][-1]["content"]
    assert "no JSON object" in repair
    assert '"I am not sure."' in repair


def test_a_third_answer_is_never_judged(office: Make) -> None:
    at = office(BAD, BAD, GOOD)
    made = at.decide(failed())
    assert (made.by, made.letter, len(made.rejected), len(asked_of(at))) == ("rule", Letter.B, 2, 2)
    assert "neither answer" in made.reason


def test_a_letter_that_is_not_allowed_is_rejected_and_asked_about(office: Make) -> None:
    at = office(decision("A", "query_sales"), decision("C", "query_sales"))
    made = at.decide(failed(Kind.DENIED, "permission denied"))
    assert (made.letter, made.by) == (Letter.C, "model")
    assert "A is not among C" in made.rejected[0]


def test_an_invented_tool_is_asked_about_once_with_the_names_that_there_are(office: Make) -> None:
    """CB-055"""
    at = office(decision("B", "send_email"))
    made = at.decide(failed())
    assert made.by == "rule"
    assert len(asked_of(at)) == 2
    assert all("unknown_tool: unknown tool 'send_email'; allowed: query_sales" in why for why in made.rejected)


ENDINGS = {
    "cut in the middle": (completion('{"decision":"A","reason":"the total match', finish="length"), "truncated"),
    "cut one brace early": (completion('{"decision":"A"', finish="length"), "truncated"),
    "cut but complete": (completion('{"decision":"B"}', finish="length"), "truncated"),
    "all tokens spent thinking": (completion(None, finish="length"), "truncated"),
    "content filter": (completion("", finish="content_filter"), "filtered"),
    "refusal, content null": (completion(None, refusal="I cannot help with that."), "refused"),
    "refusal, content empty": (completion("", refusal="no"), "refused"),
    "refusal beside text": (completion('{"decision":"A"}', refusal="I cannot help with that."), "refused"),
    "tool call instead of text": (called('{"decision":"A"}'), "invalid"),
    "no choices": (nothing(), "empty"),
}


@pytest.mark.parametrize(("reply", "cause"), ENDINGS.values(), ids=[f"CB-051 {name}" for name in ENDINGS])
def test_an_answer_that_is_none_is_told_apart_and_never_repaired(office: Make, reply: Reply, cause: str) -> None:
    made = office(reply).decide(any_letter())
    assert (made.by, made.letter) == ("rule", Letter.B)
    assert all(why.startswith(f"{cause}: ") for why in made.rejected)
    assert made.rejected


@pytest.mark.parametrize("name", ["refusal, content null", "content filter"])
def test_a_refusal_is_not_asked_again(office: Make, name: str) -> None:
    at = office(ENDINGS[name][0])
    at.decide(failed())
    assert len(asked_of(at)) == 1


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422, 429, 500, 503])
def test_an_error_ends_in_the_rule_with_the_reason(office: Make, status: int) -> None:
    at = office(error(status, "no", retry_after="0"))
    made = at.decide(failed())
    assert (made.by, made.letter) == ("rule", Letter.B)
    assert f"HTTP {status}" in made.reason


def test_a_page_of_html_is_no_answer(office: Make) -> None:
    assert "not JSON" in office(HTML).decide(failed()).reason


def test_a_server_error_is_tried_again_within_the_decision(office: Make) -> None:
    at = office(error(503, "busy", retry_after="0"), error(429, "slow down", retry_after="0"), GOOD)
    assert at.decide(failed()).by == "model"
    assert len(asked_of(at)) == 3


def test_an_exhausted_quota_is_not_tried_again(office: Make) -> None:
    at = office(error(429, "You exceeded your current quota", code="insufficient_quota", retry_after="0"))
    assert "quota" in at.decide(failed()).reason
    assert len(asked_of(at)) == 1


def test_a_wait_that_is_longer_than_the_deadline_is_not_waited_for(office: Make) -> None:
    at = office(error(429, "later", retry_after="3600"))
    assert "rate_limit" in at.decide(failed()).reason
    assert len(asked_of(at)) == 1


def test_an_endpoint_that_is_down_is_left_alone_and_tried_again_later(office: Make) -> None:
    at = office(error(401, "bad key"), GOOD)
    at.decide(failed())
    assert "not asked for now: auth" in at.decide(failed()).reason
    assert len(asked_of(at)) == 1
    assert [notice.topic for notice in at.notices] == ["model_unavailable"]
    at.clock.seconds += 31
    assert at.decide(failed()).by == "model"
    assert at.decide(failed()).by == "model"


@pytest.mark.parametrize(
    ("modes", "used"),
    [(("schema", "tool"), "schema"), (("tool", "json"), "tool"), (("json",), "json"), ((), "text")],
)
def test_the_strongest_way_that_the_endpoint_honours_is_used(office: Make, modes: tuple[str, ...], used: str) -> None:
    answer = called('{"decision":"B"}') if used == "tool" else completion('{"decision":"B"}')
    at = office(answer, probes=understanding(*modes))
    assert at.decide(failed()).by == "model"
    assert mode_of(asked_of(at)[0]) == used


def test_a_configured_mode_is_not_probed(office: Make) -> None:
    at = office(GOOD, llm=replace(MODEL, endpoint=replace(MODEL.endpoint, mode=Mode.TEXT)), probes=lambda _: HTML)
    assert at.decide(failed()).by == "model"
    assert mode_of(asked_of(at)[0]) == "text"


def test_what_a_model_does_not_take_is_left_out(office: Make) -> None:
    def picky(request: Any) -> Reply:
        if "max_tokens" in request:
            return error(400, "Unsupported parameter: use max_completion_tokens", param="max_tokens")
        if "temperature" in request:
            return error(400, "Unsupported value", param="temperature")
        return understanding("schema")(request)

    at = office(GOOD, probes=picky)
    at.decide(failed())
    [request] = asked_of(at)
    assert request["max_completion_tokens"] == 400
    assert not {"max_tokens", "temperature"} & set(request)


PRICED = replace(MODEL, prices=Prices(Decimal("2.50"), Decimal(10)))


def test_what_it_cost_comes_from_the_configured_prices(office: Make) -> None:
    assert office(GOOD, llm=PRICED).decide(failed()).cost == "0.00035"


def test_without_prices_the_cost_is_unknown(office: Make) -> None:
    assert office(GOOD).decide(failed()).cost == ""


def test_tokens_that_the_server_does_not_count_are_estimated_and_marked(office: Make) -> None:
    made = office(completion('{"decision":"B"}', usage=False)).decide(failed())
    assert made.tokens_estimated
    assert made.tokens_in > 100


LIMITS = {"50 tokens": Budget(tokens=50), "0.0001 in money": Budget(money=Decimal("0.0001"))}


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("scope", list(Scope))
def test_at_the_limit_the_job_goes_on_by_rule_and_a_notice_says_so(office: Make, scope: Scope, limit: str) -> None:
    at = office(GOOD, llm=replace(PRICED, budgets={scope: LIMITS[limit]}))
    made = at.decide(failed())
    assert (made.by, asked_of(at)) == ("rule", [])
    assert f"the {scope} budget of {limit} is used up" in made.reason
    assert [notice.topic for notice in at.notices] == ["model_budget"]


def test_what_finding_out_about_an_endpoint_costs_counts_for_the_day(office: Make) -> None:
    at = office(GOOD, probes=understanding("json"))
    made = at.decide(failed())
    spent = at.desk.spending.spent(Account.at("", "", "", NOW), Scope.DAY)
    assert spent.tokens == 3 * 110 + made.tokens_in + made.tokens_out, "schema and tool were tried before"


def test_a_budget_in_money_counts_what_was_really_spent(office: Make) -> None:
    at = office(GOOD, llm=replace(PRICED, budgets={Scope.RUN: Budget(money=Decimal("0.012"))}))
    made = [at.decide(failed()) for _ in range(20)]
    assert {one.by for one in made} == {"model", "rule"}
    assert sum(Decimal(one.cost) for one in made) <= Decimal("0.012")


def test_nothing_is_cached_unless_it_is_wanted(office: Make) -> None:
    at = office(GOOD)
    at.decide(failed())
    at.decide(failed())
    assert len(asked_of(at)) == 2


def test_a_cached_answer_costs_nothing(office: Make) -> None:
    at = office(GOOD, llm=replace(PRICED, cache=timedelta(hours=1)))
    at.decide(failed())
    again = at.decide(failed())
    assert (again.by, again.cost, again.tokens_in, len(asked_of(at))) == ("model", "0", 0, 1)


def test_an_answer_is_never_cached_at_another_temperature(office: Make) -> None:
    at = office(GOOD, llm=replace(MODEL, cache=timedelta(hours=1), temperature=0.7))
    at.decide(failed())
    at.decide(failed())
    assert len(asked_of(at)) == 2


def test_a_failure_that_the_rule_leaves_open_is_reflected_on(office: Make) -> None:
    at = office(decision("B", "query_sales", "The day was wrong.", day="2026-03-10"))
    made = at.decide(failed(Kind.BAD_DATA, "no rows for this day"))
    assert (made.letter, made.input, made.prompt_version) == (Letter.B, {"day": "2026-03-10"}, "reflect/1")
    assert made.rule is Letter.C


def test_a_person_is_asked_where_the_job_says_so_and_the_rule_has_no_clear_answer(office: Make) -> None:
    at = office(BAD, llm=replace(MODEL, ask_person=True))
    made = at.decide(failed(Kind.BAD_DATA, "no rows"))
    assert (made.letter, made.by) == (Letter.C, "rule")
    assert made.reason.startswith("left to a person")
    assert at.decide(failed()).letter is Letter.B


SECRETS = ("zR4-geheim-value-17", "Pw!with/odd+chars")


def test_a_planted_secret_is_in_no_prompt_and_in_no_record(office: Make, tmp_path: Path) -> None:
    said = f"login failed for {SECRETS[0]} with {SECRETS[1]} at postgres://u:{SECRETS[1]}@db"
    at = office(completion(said), decision("B", "query_sales", f"use {SECRETS[0]}"), secrets=SECRETS)
    made = at.decide(failed(message=said))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "artifacts").rglob("*") if path.is_file())
    for secret in SECRETS:
        assert secret not in json.dumps(asked_of(at))
        assert secret not in repr(made)
        assert secret.encode() not in kept


def test_a_desk_that_fails_leaves_the_rule(office: Make) -> None:
    at = office(GOOD)
    at.notebook.close()
    made = at.decide(failed())
    assert (made.by, made.letter) == ("rule", Letter.B)
    at.notebook = at.desk.notebook
