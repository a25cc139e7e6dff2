"""Whatever an endpoint does, the report is delivered by rule, says so, and is not late."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.adapters.llm.client import OpenAiClient
from daemon.domain.errors import Kind
from daemon.domain.llm import Azure, Endpoint, Llm, Mode
from daemon.domain.model import Failed, Outcome, RunState, Succeeded
from daemon.domain.plan import Decide
from daemon.testing.scripted_endpoint import (
    DRIP,
    HALF,
    HANG,
    HTML,
    Body,
    Reply,
    ScriptedEndpoint,
    called,
    completion,
    error,
    nothing,
)
from tests.integration.llm.workroom import Workroom, daily, failing

pytestmark = pytest.mark.slow
Room = Callable[[Llm | None], Workroom]
DECISION = 0.6
"""Seconds a decision may take."""


@pytest.fixture(scope="module", autouse=True)
def _imported() -> None:
    """The library takes longer to import than these decisions may take; a daemon imports it before it is asked."""
    OpenAiClient(Endpoint("none", "http://127.0.0.1:9/v1"), str).close()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made: list[Workroom] = []

    def make(llm: Llm | None) -> Workroom:
        made.append(Workroom(tmp_path, llm))
        return made[-1]

    yield make
    for one in made:
        one.close()


def model(endpoint: ScriptedEndpoint, mode: Mode | None = Mode.SCHEMA) -> Llm:
    return Llm(Endpoint("scripted", endpoint.url, mode=mode), timeout=timedelta(seconds=DECISION))


def agree(request: Body) -> Reply:
    """The first letter that is allowed."""
    properties = request["response_format"]["json_schema"]["schema"]["properties"]
    letter, tool = properties["decision"]["enum"][0], properties["tool_to_use"]["enum"][0]
    blank = dict.fromkeys(properties["tool_input"]["properties"])
    members = {"reason": "ok", "decision": letter, "tool_to_use": tool, "tool_input": blank}
    return completion(json.dumps(members))


FAULTS: dict[str, Reply] = {
    "hangs": HANG,
    "drips": DRIP,
    "stops in the middle of the body": HALF,
    "429 for an hour": error(429, "slow down", retry_after="3600"),
    "429 again and again": error(429, "slow down", retry_after="0"),
    "429 without a time": error(429, "slow down"),
    "out of quota": error(429, "You exceeded your current quota", code="insufficient_quota"),
    "wrong key": error(401, "Incorrect API key", code="invalid_api_key"),
    "no permission": error(403, "no"),
    "wrong model": error(404, "The model does not exist", code="model_not_found"),
    "bad request": error(400, "response_format is not supported"),
    "500": error(500, "oops"),
    "503": error(503, "busy"),
    "HTML with 200": HTML,
    "HTML with 502": replace(HTML, status=502),
    "an error with 200": replace(error(200, "overloaded"), status=200),
    "empty body": Reply(b""),
    "JSON that is no completion": Reply(b"[1, 2]"),
    "no choices": nothing(),
    "null content": completion(None),
    "refusal": completion(None, refusal="I cannot help with that."),
    "content filter": completion("", finish="content_filter"),
    "cut by the limit": completion('{"decision": "A"', finish="length"),
    "only thoughts": completion('<think>{"decision": "A"}'),
    "malformed JSON": completion('{"decision": "A",}'),
    "prose": completion("A. Go on!"),
    "a call of a tool": called('{"decision": "A"}'),
    "another letter": completion('{"decision": "D"}'),
    "an invented tool": completion('{"decision": "A", "tool_to_use": "send_email"}'),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_the_report_is_delivered_by_rule_within_its_deadline(room: Room, fault: Reply) -> None:
    with ScriptedEndpoint([fault]) as endpoint:
        at = room(model(endpoint))
        began = time.monotonic()
        run = at.run(daily())
        took = time.monotonic() - began
    assert run.state is RunState.SUCCEEDED
    assert at.runner.calls["post_slack"] == 1
    assert {made.by for made in at.heard.decisions} == {"rule"}
    assert all("model" in made.reason for made in at.heard.decisions)
    assert took < 5 * (DECISION + 0.5) + 2
    assert all(made.seconds < DECISION + 0.4 for made in at.heard.decisions)


@pytest.mark.parametrize("name", ["hangs", "drips", "503", "HTML with 200"])
def test_a_probe_that_comes_to_nothing_is_no_trouble_either(room: Room, name: str) -> None:
    with ScriptedEndpoint([FAULTS[name]], probes=lambda _: FAULTS[name]) as endpoint:
        at = room(model(endpoint, mode=None))
        assert at.run(daily()).state is RunState.SUCCEEDED


def test_azure_is_asked_for_its_deployment(room: Room) -> None:
    with ScriptedEndpoint(agree) as endpoint:
        azure = Azure(endpoint.url.removesuffix("/v1"), "2026-01-01", "mine")
        at = room(Llm(Endpoint("gpt", azure=azure, mode=Mode.SCHEMA), timeout=timedelta(seconds=5)))
        at.run(daily())
    assert {made.by for made in at.heard.decisions} == {"model"}
    assert endpoint.paths[0] == "/openai/deployments/mine/chat/completions?api-version=2026-01-01"
    assert endpoint.requests[0]["max_completion_tokens"] == 400


PLANTED = "zR4-geheim-value-17"


def test_a_secret_planted_in_every_output_and_error_reaches_no_prompt_and_no_record(tmp_path: Path) -> None:
    def leaky(number: int, _: Mapping[str, Any]) -> Outcome:
        said = f"the login {PLANTED} at https://u:{PLANTED}@db?x={base64.b64encode(PLANTED.encode()).decode()}"
        return Failed(Kind.TRANSIENT, said, said) if number == 1 else Succeeded({"x": PLANTED}, said)

    with ScriptedEndpoint(agree) as endpoint:
        at = Workroom(tmp_path, model(endpoint), secrets={"database": PLANTED})
        at.run(daily(), query_sales=leaky, compute_kpis=leaky, draw_chart=leaky, write_report=leaky)
        at.close()
    kept = [path.read_bytes() for path in (tmp_path / "artifacts").rglob("*") if path.is_file()]
    for found in (json.dumps(endpoint.requests), repr(at.heard.decisions), repr(kept)):
        assert "geheim" not in found
        assert base64.b64encode(PLANTED.encode()).decode()[4:16] not in found
    assert len(at.heard.decisions) == 9


def test_nobody_listens(room: Room) -> None:
    with ScriptedEndpoint([HTML]) as endpoint:
        gone = model(endpoint)
    at = room(gone)
    assert at.run(daily()).state is RunState.SUCCEEDED
    assert [notice.topic for notice in at.heard.notices] == ["model_unavailable"]


def test_a_good_endpoint_decides_every_step(room: Room) -> None:
    with ScriptedEndpoint(agree) as endpoint:
        at = room(model(endpoint, mode=None))
        run = at.run(daily())
    assert run.state is RunState.SUCCEEDED
    assert [(made.by, made.letter) for made in at.heard.decisions] == [("model", "A")] * 5
    assert (len(endpoint.requests), len(endpoint.probes)) == (5, 1)


def test_always_costs_eleven_flushes_in_five_steps(room: Room) -> None:
    """One more a step than without a model: what is known is committed before the model is asked."""
    with ScriptedEndpoint(agree) as endpoint:
        at = room(model(endpoint))
        at.run(daily())
    assert at.store.flushes == 11


def test_on_exception_a_healthy_run_asks_nothing(room: Room) -> None:
    with ScriptedEndpoint(agree) as endpoint:
        at = room(model(endpoint, mode=None))
        run = at.run(daily(Decide.ON_EXCEPTION))
    assert run.state is RunState.SUCCEEDED
    assert (endpoint.requests, endpoint.probes) == ([], [])


def test_on_exception_an_open_failure_is_asked_about(room: Room) -> None:
    with ScriptedEndpoint(agree) as endpoint:
        at = room(model(endpoint))
        run = at.run(daily(Decide.ON_EXCEPTION), query_sales=failing(1, Failed(Kind.BAD_DATA, "no rows")))
    assert run.state is RunState.SUCCEEDED
    assert [(made.letter, made.prompt_version) for made in at.heard.decisions] == [("B", "reflect/1")]


def test_an_endpoint_that_comes_back_is_asked_again(room: Room) -> None:
    down = [True]
    with ScriptedEndpoint(lambda request: error(401, "no") if down[0] else agree(request)) as endpoint:
        at = room(model(endpoint))
        at.run(daily())
        down[0] = False
        at.clock.slept += 60
        at.run(daily())
    assert [made.by for made in at.heard.decisions] == ["rule"] * 5 + ["model"] * 5
