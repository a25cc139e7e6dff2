"""The prompt templates: shipped ones, or a person's own by path. Refused when they are read, not when they are used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

import yaml
from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ...domain.answer import Unusable
from ...domain.answer_schema import open_inputs
from ...domain.errors import ClockwrightError
from ...domain.quota import cut, plain, wire
from ...domain.snapshot import Situation
from .dialect import Message

NAMES: Final = ("decide", "reflect", "repair")
PROMPT_BYTES: Final = 8192
"""The ceiling of a template; the snapshot has its own."""
REPAIR_BYTES: Final = 600
_PACKAGE: Final = "scheduler_prompts"
_FRONT: Final = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_PART: Final = re.compile(r"<!-- (system|user) -->\n")
_ENVIRONMENT: Final = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=False)
_SAMPLE: Final = {"snapshot": "{}", "letters": "A", "tool": "tool", "blank": "{}", "problem": "none", "answer": '""'}


class PromptError(ClockwrightError):
    """A prompt template cannot be used; the message names the file and says why."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """`version` is `name/number`, as a decision records it."""

    version: str
    parts: tuple[tuple[str, Template], ...]

    def render(self, values: Mapping[str, str]) -> list[Message]:
        return [{"role": role, "content": template.render(values).strip()} for role, template in self.parts]


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
        return _parsed(name, source.read_text(encoding="utf-8"))
    except (OSError, ValueError, TemplateError, yaml.YAMLError) as error:
        raise PromptError(f"the prompt {place} cannot be used: {error}") from error


def _parsed(name: str, text: str) -> Prompt:
    if len(text.encode()) > PROMPT_BYTES:
        raise ValueError(f"it takes more than {PROMPT_BYTES} bytes")
    match = _FRONT.fullmatch(text.replace("\r\n", "\n"))
    front = yaml.safe_load(match[1]) if match else None
    if match is None or not isinstance(front, dict) or "version" not in front:
        raise ValueError("it must begin with a front matter between two lines of ---, with a version in it")
    prompt = Prompt(f"{name}/{front['version']}", tuple(_parts(match[2])))
    _expect(name, prompt)
    return prompt


def _parts(text: str) -> list[tuple[str, Template]]:
    _, *pieces = _PART.split(text)
    return [(role, _ENVIRONMENT.from_string(body)) for role, body in zip(pieces[::2], pieces[1::2], strict=True)]


def _expect(name: str, prompt: Prompt) -> None:
    """It renders, and what came from data stands in the user's part alone."""
    marked = prompt.render(_SAMPLE | {"snapshot": "<snapshot>", "problem": "<snapshot>"})
    holders = [message["role"] for message in marked if "<snapshot>" in message["content"]]
    if holders != ["user"]:
        value = "problem" if name == "repair" else "snapshot"
        raise ValueError(f"it must show {{{{ {value} }}}} once, after <!-- user -->")


def _values(situation: Situation) -> dict[str, str]:
    fields = open_inputs(situation.step, situation.plan.tool(situation.step))
    return {
        "letters": ", ".join(situation.ask.allowed),
        "tool": situation.step.use,
        "blank": wire(dict.fromkeys(fields)),
    }
