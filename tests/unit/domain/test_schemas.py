"""Whether what one step says fits what another takes, judged from their JSON Schemas alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from daemon.domain.schemas import DeadPath, Shape, follow, mismatch

TEXT = {"type": "string"}
NULL = {"type": "null"}


def thing(required: str = "", **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (TEXT, TEXT, None),
        ({"type": "integer"}, {"type": "number"}, None),
        ({"type": "number"}, {"type": "integer"}, "it is a number, wanted is a whole number"),
        (TEXT, {"anyOf": [TEXT, NULL]}, None),
        ({"anyOf": [TEXT, NULL]}, TEXT, "it may be null, wanted is text"),
        (TEXT, {"type": "array", "items": TEXT}, "it is text, wanted is a list"),
        ({}, {"type": "integer"}, None),
        (TEXT, {}, None),
        ({"enum": ["a", "b"]}, {"enum": ["a", "b", "c"]}, None),
        ({"enum": ["a", "z"]}, {"enum": ["a"]}, "it may be 'z', allowed is 'a'"),
        (
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": TEXT},
            "in its items it is a whole number",
        ),
        (thing("a", a=TEXT), thing("a b", a=TEXT, b=TEXT), "it has no 'b', which is required"),
        (thing("a b", a=TEXT, b=TEXT), thing("a", a=TEXT), "it has 'b', which is not taken"),
        (thing("a", a=TEXT), thing("a", a={"type": "boolean"}), "at 'a' it is text, wanted is true or false"),
        ({**TEXT, "format": "date"}, {**TEXT, "format": "date-time"}, "it is a date, wanted is a date-time"),
    ],
)
def test_what_flows_between_two_schemas(source: Any, target: Any, reason: str | None) -> None:
    found = mismatch(Shape.of(source), Shape.of(target))

    assert found == reason if reason is None else (found or "").startswith(reason)


class Leaf(BaseModel):
    name: str
    amount: int | None = None


class Tree(BaseModel):
    leaf: Leaf
    leaves: list[Leaf]
    by_name: dict[str, Leaf]
    pair: tuple[int, str]
    children: list[Tree] = []


TREE = Shape.of(Tree.model_json_schema(mode="serialization"))


@pytest.mark.parametrize(
    ("path", "types"),
    [
        (("leaf", "name"), {"string"}),
        (("leaf", "amount"), {"integer", "null"}),
        (("leaves", 3, "name"), {"string"}),
        (("by_name", "anything", "name"), {"string"}),
        (("pair", 0), {"integer"}),
        (("pair", 1), {"string"}),
        (("children", 0, "children", 0, "leaf", "name"), {"string"}),
    ],
)
def test_a_path_is_followed_through_definitions(path: tuple[str | int, ...], types: set[str]) -> None:
    assert follow(TREE, path).types == types


@pytest.mark.parametrize(
    ("path", "known"),
    [(("leaf", "nam"), ("name", "amount")), (("leaf", "name", "x"), ()), (("leaf", 0), ("name", "amount"))],
)
def test_a_dead_path_says_what_there_is(path: tuple[str | int, ...], known: tuple[str, ...]) -> None:
    with pytest.raises(DeadPath) as dead:
        follow(TREE, path)

    assert dead.value.known == known


def test_a_recursive_schema_fits_itself_under_other_names() -> None:
    other = Shape.of(Tree.model_json_schema(mode="validation", ref_template="#/$defs/{model}"))

    assert mismatch(TREE, other) is None


SCALARS = st.sampled_from(
    [TEXT, NULL, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {"enum": ["a", 1]}, {"const": "a"}, {}]
)
SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(lambda p: thing(" ".join(p), **p)),
    ),
    max_leaves=5,
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 1.5, "a", "b"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@given(SCHEMAS)
def test_every_schema_fits_itself(schema: Any) -> None:
    assert mismatch(Shape.of(schema), Shape.of(schema)) is None


@given(SCHEMAS, SCHEMAS, VALUES)
def test_a_value_of_a_fitting_source_is_right_for_the_target(source: Any, target: Any, value: Any) -> None:
    fits = mismatch(Shape.of(source), Shape.of(target)) is None
    is_sure = fits and "{}" not in str(source) and "enum" not in str(target) and "const" not in str(target)
    if is_sure and Draft202012Validator(source).is_valid(value):
        assert Draft202012Validator(target).is_valid(value)
