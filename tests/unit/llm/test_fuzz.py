"""Nonsense of every kind: never A from an ambiguous answer, never an exception, never a third judged answer."""

from __future__ import annotations

import json
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.domain.answer import Unusable, parse
from daemon.domain.errors import Kind
from daemon.domain.judge import judge
from daemon.domain.model import Letter
from daemon.testing.scripted_endpoint import Body, completion
from tests.unit.llm.scene import MODEL, Office, any_letter, before_first, failed
from tests.unit.llm.scripted_client import ScriptedClient

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "5000"))
"""`make soak` sets 100,000."""
PIECES = [
    *("{", "}", "[", "]", '"', "'", ":", ",", "\\", "\n", " ", "```", "```json\n", "```text\n", "> ", "\x00", "\ufeff"),
    *("<think>", "</think>", "“", "decision", '"decision"', '"Decision"', "tool_to_use", "tool_input", "null", "NaN"),
    *("A", "B", "C", '"A"', '"B"', '"C"', "1e999", "query_sales", "send_email", "I choose ", "instead of ", "or "),
    *('{"decision":"A"}', '{"decision":"B"}', '{"decision":"C"}', '"decision":"A"', '"decision":"C",', "\ud800"),
    *('"tool_input":{"limit":5}', '"tool_input":{"note":"x"}', '"tool_input":"{}"', '"reason":"A or C"', "é", "😀"),
]
INPUTS: list[Any] = [
    None,
    [],
    {},
    "",
    "{}",
    '"{}"',
    {"limit": 10**30},
    {"limit": True},
    {"day": {"a": 1}},
    {"sql": "x"},
]


def babble(seeded: random.Random) -> str:
    return "".join(seeded.choices(PIECES, k=seeded.randint(0, 14)))


def almost(seeded: random.Random) -> str:
    """An answer with members of every shape."""
    letters: list[Any] = ["A", "B", "C", "a", "AB", "", None, 1, ["A"], {"A": 1}, "A\n"]
    tools = ["query_sales", "send_email", "", None, 3]
    members = {
        "decision": seeded.choice(letters),
        "tool_to_use": seeded.choice(tools),
        "tool_input": seeded.choice(INPUTS),
        "reason": seeded.choice([None, 5, babble(seeded)]),
    }
    kept = {name: member for name, member in members.items() if seeded.random() < 0.8}
    text = json.dumps(kept)
    return text if seeded.random() < 0.6 else text[: seeded.randint(0, len(text))] + babble(seeded)


def letters_in(raw: str) -> set[str]:
    """The letters that anything like a decision in the text names."""
    return {
        letter for letter in "ABC" if f'"decision":"{letter}"' in raw.replace(" ", "").replace("Decision", "decision")
    }


def test_seeded_nonsense_never_becomes_an_ambiguous_go_on() -> None:
    seeded, situation = random.Random(5), any_letter()
    for number in range(EXAMPLES):
        raw = babble(seeded) if number % 2 else almost(seeded)
        try:
            made = judge(raw, situation)
        except Unusable:
            continue
        visible = raw[raw.rfind("</think>") + 1 :] if "<think>" in raw or "</think>" in raw else raw
        assert made.tool == "query_sales", raw
        assert set(made.input) <= {"day", "limit"}, raw
        if made.letter is Letter.A:
            assert letters_in(visible) <= {"A"} or "<think>" in raw, raw


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=400) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_no_text_makes_the_parser_raise_anything_else(raw: str) -> None:
    with suppress(Unusable):
        assert parse(raw).letter in Letter


@pytest.mark.slow
def test_nonsense_through_the_whole_decider_is_never_an_exception_and_never_a_third_answer(tmp_path: Path) -> None:
    seeded, asked = random.Random(7), [0]

    def nonsense(_: Body) -> Any:
        asked[0] += 1
        return completion((babble if seeded.random() < 0.5 else almost)(seeded))

    office = Office(tmp_path, MODEL, ScriptedClient(script=nonsense))
    situations = (failed(), before_first(), failed(Kind.DENIED, "no"), failed(Kind.BAD_DATA, "no rows"))
    for number in range(EXAMPLES):
        situation, asked[0] = situations[number % 4], 0
        made = office.decide(situation)
        assert made.letter in situation.ask.allowed
        assert asked[0] <= 2
        assert made.by == "model" or len(made.rejected) == asked[0]
    office.close()
