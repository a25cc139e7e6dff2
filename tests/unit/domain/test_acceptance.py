"""Acceptance rules: what holds gives nothing, what fails gives a reason, and nothing ever raises."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.domain.acceptance import check, keys, refuse_rule
from daemon.domain.plan import Accept
from daemon.domain.rules import ARGUMENTS
from daemon.domain.schemas import Shape

OUTPUT = {"rows": 3, "net": "12.50", "note": None, "name": "crème", "top": [{"n": 1}, {"n": 2}], "empty": False}


@pytest.mark.parametrize(
    ("path", "rule", "value"),
    [
        ("rows", "min", 3),
        ("rows", "max", 3),
        ("net", "min", "12.5"),
        ("net", "max", 13),
        ("rows", "type", "number"),
        ("note", "type", ["string", "null"]),
        ("name", "length", 5),
        ("top", "min_length", 2),
        ("top", "max_length", 2),
        ("", "required", ["rows", "net"]),
        ("top[1].n", "equals", 2),
        ("empty", "equals", False),
        ("top", "contains", {"n": 1}),
        ("name", "contains", "rè"),
        ("name", "forbids", ["error", "traceback"]),
        ("name", "regex", "^cr"),
        ("top[0]", "schema", {"required": ["n"]}),
        ("", "expression", "output.rows > 0 && output.top.all(x, x.n < 3)"),
    ],
)
def test_a_rule_that_holds_gives_no_reason(path: str, rule: str, value: Any) -> None:
    assert check(OUTPUT, [Accept(path, rule, value)]) == []


@pytest.mark.parametrize(
    ("path", "rule", "value", "reason"),
    [
        ("rows", "min", 4, "rows: it is 3, wanted is at least 4"),
        ("net", "max", 12, 'net: it is "12.50", wanted is at most 12'),
        ("name", "min", 1, 'name: it is string "crème", so it has no size'),
        ("empty", "min", 0, "empty: it is boolean false, so it has no size"),
        ("rows", "type", "string", "rows: it is integer, wanted is string"),
        ("name", "length", 6, "name: its length is 5, wanted is exactly 6"),
        ("rows", "min_length", 1, "rows: it is integer, so it has no length"),
        ("", "required", ["rows", "gone"], "output: it lacks 'gone'"),
        ("empty", "equals", 0, "empty: it is false, wanted is 0"),
        ("name", "contains", "x", 'name: it does not contain "x"'),
        ("name", "forbids", ["cr", "zz"], 'name: it contains "cr"'),
        ("name", "regex", "^x", 'name: "crème" does not match ^x'),
        ("top[0].n", "schema", {"minimum": 5}, "top[0].n: 1 is less than the minimum of 5"),
        ("nope.x", "min", 1, "nope.x: there is no 'nope'"),
        ("top[7]", "equals", 1, "top[7]: there is no item 7"),
        ("", "expression", "output.rows > 9", "the expression does not hold: output.rows > 9"),
        ("", "expression", "output.rows", "the expression does not hold: output.rows"),
        ("", "expression", "output.name > 9", "the expression cannot be evaluated: output.name > 9: found no"),
        ("", "expression", "output.gone > 9", "the expression cannot be evaluated: output.gone > 9: no such member"),
    ],
)
def test_a_rule_that_fails_gives_its_reason(path: str, rule: str, value: Any, reason: str) -> None:
    (found,) = check(OUTPUT, [Accept(path, rule, value)])

    assert found.startswith(reason)


def test_every_failed_rule_is_listed() -> None:
    rules = [Accept("rows", "min", 9), Accept("rows", "max", 9), Accept("name", "equals", "x")]

    assert len(check(OUTPUT, rules)) == 2


def test_a_malicious_pattern_takes_no_time() -> None:
    began = time.process_time()
    check({"text": "a" * 5000 + "!"}, [Accept("text", "regex", "^(a+)+$")])

    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("rule", "value", "reason"),
    [
        ("mni", 1, "there is no rule 'mni'"),
        ("min", [1], "min: [1] is not of type"),
        ("length", -1, "length: -1 is less than the minimum of 0"),
        ("type", "text", "type: 'text' is not valid"),
        ("regex", "(", "regex: missing )"),
        ("schema", {"type": "text"}, "schema: 'text' is not valid"),
        ("expression", "output.", "the expression is not valid: 'output.' cannot be read"),
        ("expression", "output.row > 1", "the output has nothing at 'row'"),
    ],
)
def test_a_rule_that_can_never_be_right_is_refused_at_load(rule: str, value: Any, reason: str) -> None:
    output = Shape.of({"type": "object", "properties": {"rows": {}}, "additionalProperties": False})

    problem = refuse_rule(Accept("", rule, value), output)

    assert problem is not None
    assert problem[0].startswith(reason)


@pytest.mark.parametrize("path", ["a b", "a[x]", "a[", "é", "a/b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="is not a path"):
        keys(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=3),
    max_leaves=5,
)
PLAIN = sorted(ARGUMENTS.keys() - {"expression", "schema", "regex"})
VALID = {"required": ["a"], "type": "string", "length": 1, "min_length": 1, "max_length": 1, "min": 0, "max": "1.5"}


@given(JSON, st.sampled_from(PLAIN), st.sampled_from(["", "a", "a.b", "[0]", "a[1].b"]))
def test_no_output_whatever_raises(output: Any, rule: str, path: str) -> None:
    assert all(isinstance(reason, str) for reason in check(output, [Accept(path, rule, VALID.get(rule, "x"))]))


@given(JSON)
def test_no_output_whatever_raises_in_an_expression(output: Any) -> None:
    assert len(check(output, [Accept("", "expression", "output.a.b == 'x'")])) <= 1
