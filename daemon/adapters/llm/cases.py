"""Recorded decisions as cases for an evaluation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...domain.errors import ClockwrightError
from ...domain.model import Decision, Json
from ...domain.quota import wire
from ...ports import StoreError


class CaseError(ClockwrightError):
    """A line of a file of cases is none; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class Case:
    """`accepted` are the letters that count as right; `schema` is what the answer had to be."""

    id: str
    prompt: str
    """Which template asks: decide or reflect."""
    snapshot: str
    schema: Json
    accepted: tuple[str, ...]
    rule: str = ""

    @property
    def tool(self) -> str:
        return str(self.schema["properties"]["tool_to_use"]["enum"][0])

    @property
    def letters(self) -> str:
        return ", ".join(self.schema["properties"]["decision"]["enum"])


def case_of(decision: Decision, name: str, get: Callable[[str], bytes]) -> Case | None:
    """A stored decision as a case that expects what was decided; None without a model or with the record lost."""
    if not decision.prompt or not decision.snapshot:
        return None
    try:
        schema, snapshot = json.loads(get(decision.prompt))["schema"], get(decision.snapshot).decode()
    except StoreError:
        return None
    prompt = decision.prompt_version.partition("/")[0]
    letter = decision.letter.value
    return Case(name, prompt, snapshot, schema, (letter,), decision.rule.value)


def line_of(case: Case) -> str:
    return json.dumps(
        {
            "id": case.id,
            "prompt": case.prompt,
            "accepted": list(case.accepted),
            "rule": case.rule,
            "snapshot": json.loads(case.snapshot),
            "schema": case.schema,
        },
        ensure_ascii=False,
    )


def read_cases(lines: Iterable[str], source: str) -> list[Case]:
    """One JSON object a line. Raises CaseError."""
    return [_case(line, f"{source}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def _case(line: str, place: str) -> Case:
    try:
        case = _read(json.loads(line), place)
        letters = case.letters.split(", ") if case.tool else []
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CaseError(f"{place}: this is no case: {type(error).__name__}: {error}") from None
    if case.prompt not in ("decide", "reflect") or not set(case.accepted) & set(letters):
        raise CaseError(f"{place}: 'prompt' must be decide or reflect, and an accepted letter must be an allowed one")
    return case


def _read(data: Json, place: str) -> Case:
    return Case(
        id=str(data.get("id", place)),
        prompt=data["prompt"],
        snapshot=wire(data["snapshot"]),
        schema=data["schema"],
        accepted=tuple(map(str, data["accepted"])),
        rule=str(data.get("rule", "")),
    )
