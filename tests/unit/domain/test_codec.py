"""The codec: everything comes back equal, nothing but strict JSON gets in, and what it cannot read it says."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, timedelta
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.domain import codec
from daemon.domain.errors import Kind
from daemon.domain.events import AttemptEnded, EffectAdopted, Event
from daemon.domain.job import LedgerRow
from daemon.domain.model import Escalation, Failed, Json, Reconciled, Run, StepRun, Succeeded, Verdict
from daemon.domain.plan import Plan
from tests.builders import T0, a_run

TEXT = st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
st.register_type_strategy(str, TEXT)
INSTANTS = st.datetimes(timezones=st.just(UTC))


def values(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Any value of a domain type, with aware instants and plain JSON where the domain has them."""
    if hasattr(kind, "__dataclass_fields__"):
        hints = get_type_hints(kind)
        fields = {name: of_hint(hints[name]) for name, field in kind.__dataclass_fields__.items() if field.init}
        return st.builds(kind, **fields)
    return _PLAIN[kind] if kind in _PLAIN else st.from_type(kind)


def of_hint(hint: Any) -> st.SearchStrategy[Any]:
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return JSON
    if isinstance(hint, UnionType):
        return st.one_of([of_hint(arg) for arg in args])
    if origin is tuple:
        return st.lists(of_hint(args[0]), max_size=2).map(tuple)
    return values(hint) if origin is None else st.dictionaries(TEXT, of_hint(args[-1]), max_size=2)


_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    float: st.floats(allow_nan=False, allow_infinity=False),
    timedelta: st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400)),
    type(T0): INSTANTS,
}


@pytest.mark.parametrize("kind", [StepRun, Escalation, LedgerRow, Plan, *codec.EVENTS.values()])
def test_every_value_comes_back_equal(kind: type[Any]) -> None:
    @settings(max_examples=25, deadline=None)
    @given(values(kind))
    def round_trip(value: Any) -> None:
        assert codec.decode(kind, codec.encode(value)) == value

    round_trip()


@settings(max_examples=25, deadline=None)
@given(values(Run))
def test_a_run_comes_back_but_for_what_the_store_keeps_beside_it(run: Run) -> None:
    found = codec.decode(Run, codec.encode(run))
    assert replace(found, steps=run.steps, epoch=run.epoch, version=run.version) == run


def test_a_default_is_not_written() -> None:
    assert codec.encode(StepRun("query")) == '{"format":1,"value":{"step":"query"}}'


def test_a_plan_is_written_with_its_defaults_which_a_later_version_may_change() -> None:
    plan = Plan("daily", "goal", (), {})
    assert "limits" in json.loads(codec.encode(plan))["value"]


@pytest.mark.parametrize("output", [float("nan"), [float("inf")], {"a": -float("inf")}, "\ud800", object()])
def test_what_is_not_json_is_refused(output: Any) -> None:
    with pytest.raises(codec.Unstorable):
        codec.encode(StepRun("query", output=output))


def test_the_words_nan_and_infinity_are_only_words() -> None:
    step = StepRun("query", output=["NaN", "Infinity"])
    assert codec.decode(StepRun, codec.encode(step)) == step


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        '{"value":{}}',
        '{"format":"1","value":{}}',
        '{"format":1}',
        '{"format":1,"value":null}',
        '{"format":1,"value":{"step":"query","state":"lost"}}',
        '{"format":1,"value":{"step":"query"',
    ],
)
def test_a_damaged_text_is_corrupt(text: str) -> None:
    with pytest.raises(codec.Corrupt):
        codec.decode(StepRun, text)


def test_a_newer_format_is_told_apart_from_damage() -> None:
    with pytest.raises(codec.NewerFormat, match="format 2 is newer"):
        codec.decode(StepRun, '{"format":2,"value":{"stage":"query"}}')


def test_an_envelope_that_a_person_laid_out_anew_is_read() -> None:
    assert codec.decode(StepRun, '{ "format": 1, "value": { "step": "query" } }') == StepRun("query")


def test_plain_form_is_what_is_written() -> None:
    plain = codec.to_plain(StepRun("query", output=1))
    assert plain == {"format": 1, "value": {"step": "query", "output": 1}}
    assert codec.from_plain(StepRun, plain) == StepRun("query", output=1)


@pytest.mark.parametrize(
    "event",
    [
        AttemptEnded(T0, "query", 1, Succeeded({"a": 1}, "one")),
        AttemptEnded(T0, "query", 1, Reconciled(Verdict.FOUND, {"a": 1}, "one")),
        EffectAdopted(T0, "query", "key", {"a": 1}, "one"),
    ],
)
def test_a_slim_event_holds_a_digest_for_its_output(event: Event) -> None:
    slim: Any = codec.slim(event)
    output: Json = slim.output if isinstance(slim, EffectAdopted) else slim.outcome.output
    assert list(output) == [codec.DIGEST_KEY]


def test_an_event_without_an_output_stays_as_it_is() -> None:
    event = AttemptEnded(T0, "query", 1, Failed(Kind.DENIED, "no"))
    assert codec.slim(event) == event


def test_only_values_of_the_domain_are_encoded() -> None:
    with pytest.raises(codec.Unstorable):
        codec.encode(a_run)
