"""One prompt template: text with a front matter, refused when it is read and not when it is used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import yaml
from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

NAMES: Final = ("decide", "reflect", "repair")
PROMPT_BYTES: Final = 8192
"""The ceiling of a template; the snapshot has its own."""
_FRONT: Final = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_PART: Final = re.compile(r"<!-- (system|user) -->\n")
_ENVIRONMENT: Final = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=False)
_SAMPLE: Final = {"snapshot": "{}", "letters": "A", "tool": "tool", "blank": "{}", "problem": "none", "answer": '""'}


@dataclass(frozen=True, slots=True)
class Prompt:
    """`version` is `name/number`, as a decision records it; `parts` are roles with what they say."""

    version: str
    parts: tuple[tuple[str, Template], ...]

    def render(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        return [{"role": role, "content": template.render(values).strip()} for role, template in self.parts]


def parse(name: str, text: str) -> Prompt:
    """The template called `name`. Raises ValueError with the reason."""
    try:
        return _parsed(name, text)
    except (TemplateError, yaml.YAMLError) as error:
        raise ValueError(" ".join(str(error).split())) from error


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
