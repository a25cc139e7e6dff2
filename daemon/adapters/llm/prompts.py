"""The prompt templates: shipped ones, or a person's own by path. Refused when they are read, not when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from ...domain.answer import Unusable
from ...domain.answer_schema import open_inputs
from ...domain.errors import ClockwrightError
from ...domain.prompt import NAMES, Prompt, parse
from ...domain.quota import cut, plain, wire
from ...domain.snapshot import Situation
from .dialect import Message

REPAIR_BYTES: Final = 600
_PACKAGE: Final = "scheduler_prompts"


class PromptError(ClockwrightError):
    """A prompt template cannot be used; the message names the file and says why."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The three of them."""

    decide: Prompt
    reflect: Prompt
    repair: Prompt

    def of(self, situation: Situation) -> Prompt:
        return self.reflect if situation.reflects else self.decide

    def question(self, situation: Situation, snapshot: str) -> list[Message]:
        return self.of(situation).render(_values(situation) | {"snapshot": snapshot})

    def once_more(self, situation: Situation, unusable: Unusable, raw: str) -> list[Message]:
        """What is added to the question. `raw` is quoted, never sent back as if it were the model's turn."""
        answer = wire(cut(plain(raw), REPAIR_BYTES // 2))
        problem = cut(plain(str(unusable)), REPAIR_BYTES // 2)
        return self.repair.render(_values(situation) | {"problem": problem, "answer": answer})


def read_prompts(overrides: Mapping[str, str]) -> Prompts:
    """Raises PromptError."""
    if unknown := set(overrides) - set(NAMES):
        raise PromptError(f"there is no prompt {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return Prompts(*(_read(name, overrides.get(name)) for name in NAMES))


def _read(name: str, path: str | None) -> Prompt:
    place = path or f"{_PACKAGE}/{name}.md"
    try:
        source = Path(path) if path else resources.files(_PACKAGE).joinpath(f"{name}.md")
        return parse(name, source.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PromptError(f"the prompt {place} cannot be used: {error}") from error


def _values(situation: Situation) -> dict[str, str]:
    fields = open_inputs(situation.step, situation.plan.tool(situation.step))
    return {
        "letters": ", ".join(situation.ask.allowed),
        "tool": situation.step.use,
        "blank": wire(dict.fromkeys(fields)),
    }
