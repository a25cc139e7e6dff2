"""A model's answers to recorded cases: does a change of prompt or model decide as well?"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import median
from typing import Any

import jsonschema

from ...domain.answer import Cause, Unusable, parse
from ...domain.llm import Llm
from ...domain.quota import wire
from .cases import Case
from .dialect import Message, request
from .line import Line
from .prompts import Prompts
from .reply import answer_text
from .trouble import Trouble


@dataclass(frozen=True, slots=True)
class Answered:
    """What one try came to. `letter` is empty where there was no valid answer, and `why` says so."""

    letter: str
    why: str
    seconds: float
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass
class Report:
    """`tries` by case id, in order."""

    cases: list[Case]
    tries: dict[str, list[Answered]] = field(default_factory=dict)

    @property
    def every(self) -> list[tuple[Case, Answered]]:
        return [(case, one) for case in self.cases for one in self.tries.get(case.id, [])]

    def share(self, right: Callable[[Case, Answered], bool]) -> float:
        """Of all tries."""
        every = self.every
        return sum(1 for case, one in every if right(case, one)) / len(every) if every else 0.0

    def figures(self, llm: Llm) -> dict[str, Any]:
        seconds = sorted(one.seconds for _, one in self.every)
        tokens_in = sum(one.tokens_in for _, one in self.every)
        tokens_out = sum(one.tokens_out for _, one in self.every)
        cost: Decimal | None = llm.prices.of(tokens_in, tokens_out) if llm.prices else None
        return {
            "model": llm.endpoint.model,
            "cases": len(self.cases),
            "tries": len(seconds),
            "valid": round(self.share(lambda _, one: bool(one.letter)), 4),
            "agreement": round(self.share(lambda case, one: one.letter in case.accepted), 4),
            "agreement_with_rule": round(self.share(lambda case, one: one.letter == case.rule), 4),
            **{f"pass^{k}": round(passed, 4) for k, passed in enumerate(self.all_of(), 1)},
            "seconds_median": round(median(seconds), 3) if seconds else None,
            "seconds_worst": round(seconds[-1], 3) if seconds else None,
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cost": str(cost) if cost is not None else None,
        }

    def all_of(self) -> list[float]:
        """For each k, the share of cases whose first k tries were all right."""
        most = max((len(tries) for tries in self.tries.values()), default=0)
        return [sum(self._passes(case, k) for case in self.cases) / len(self.cases) for k in range(1, most + 1)]

    def _passes(self, case: Case, k: int) -> bool:
        tries = self.tries.get(case.id, [])[:k]
        return len(tries) == k and all(one.letter in case.accepted for one in tries)


def evaluate(
    cases: list[Case], llm: Llm, prompts: Prompts, line: Line, repeat: int = 1
) -> Iterator[tuple[Case, Answered]]:
    """Every case `repeat` times, one after the other, as they come."""
    for case in cases:
        for _ in range(repeat):
            yield case, _answered(case, llm, prompts, line)


def _answered(case: Case, llm: Llm, prompts: Prompts, line: Line) -> Answered:
    """One question and no repair: what is measured is the model."""
    began = time.monotonic()
    left = lambda: llm.timeout.total_seconds() - (time.monotonic() - began)  # noqa: E731 - one word for one number
    try:
        dialect = line.dialect(left)
        began = time.monotonic()
        reply = line.post(request(dialect, llm, _messages(case, prompts), case.schema), left)
        letter, why = _letter(answer_text(reply, dialect.mode), case), ""
    except (Trouble, Unusable) as error:
        return Answered("", str(error), time.monotonic() - began)
    return Answered(letter, why, time.monotonic() - began, reply.tokens_in or 0, reply.tokens_out or 0)


def _messages(case: Case, prompts: Prompts) -> list[Message]:
    fields = case.schema["properties"]["tool_input"]["properties"]
    values = {"letters": case.letters, "tool": case.tool, "blank": wire(dict.fromkeys(fields))}
    template = prompts.reflect if case.prompt == "reflect" else prompts.decide
    return template.render(values | {"snapshot": case.snapshot})


def _letter(raw: str, case: Case) -> str:
    """Raises Unusable, also for an answer that the case's schema does not allow."""
    answer = parse(raw)
    given = {
        "reason": answer.reason,
        "decision": answer.letter.value,
        "tool_to_use": case.tool if answer.tool is None or answer.letter == "C" else answer.tool,
        "tool_input": dict.fromkeys(case.schema["properties"]["tool_input"]["properties"]) | answer.input,
    }
    error = next(jsonschema.Draft202012Validator(case.schema).iter_errors(given), None)
    if error:
        raise Unusable(Cause.NOT_ALLOWED, error.message[:200])
    return answer.letter.value
