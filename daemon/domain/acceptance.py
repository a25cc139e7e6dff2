"""Acceptance rules: what a program can check about a step's output. A rule that fails gives its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from .expression import BadExpression, compile_expression, evaluate, paths_read
from .model import Json
from .nearest import did_you_mean
from .plan import Accept
from .references import Key
from .rules import ARGUMENTS, PREPARE, RULES
from .schemas import DeadPath, Shape, follow

_PATH = re.compile(r"([A-Za-z_][\w-]*)|\[(\d{1,6})\]|\.")


class _Missing(LookupError):
    pass


def check(output: Json, rules: Sequence[Accept]) -> list[str]:
    """The reasons why the output is not acceptable; empty where it is. Never raises, whatever the output."""
    return [reason for rule in rules if (reason := _check(output, rule))]


def _check(output: Json, rule: Accept) -> str:
    if rule.rule == "expression":
        return _expression(output, str(rule.value))
    try:
        value = _at(output, keys(rule.path))
    except _Missing as missing:
        return f"{rule.path}: {missing}"
    reason = RULES[rule.rule](value, rule.value) if rule.rule in RULES else f"there is no rule {rule.rule!r}"
    return f"{rule.path or 'output'}: {reason}" if reason else ""


def keys(path: str) -> tuple[Key, ...]:
    """`kpis.top[0].name` as keys. Raises ValueError for anything else."""
    found: list[Key] = []
    position = 0
    while position < len(path):
        match = _PATH.match(path, position)
        if match is None:
            raise ValueError(f"{path!r} is not a path; write field.list[0].field")
        if match[0] != ".":
            found.append(int(match[2]) if match[2] else match[1])
        position = match.end()
    return tuple(found)


def _at(value: Json, path: Sequence[Key]) -> Json:
    for key in path:
        if isinstance(key, int):
            if not isinstance(value, list) or key >= len(value):
                raise _Missing(f"there is no item {key}")
        elif not isinstance(value, Mapping) or key not in value:
            raise _Missing(f"there is no {key!r}")
        value = value[key]
    return value


def _expression(output: Json, text: str) -> str:
    try:
        return "" if evaluate(text, {"output": output}) is True else f"the expression does not hold: {text}"
    except BadExpression as error:
        return f"the expression cannot be evaluated: {text}: {error}"


def refuse_rule(rule: Accept, output: Shape) -> tuple[str, str] | None:
    """Why the rule can never be right for such an output, with a hint; None where it may be."""
    if rule.rule not in ARGUMENTS:
        return f"there is no rule {rule.rule!r}", did_you_mean(rule.rule, ARGUMENTS)
    problem = _refuse_path(rule.path, output) or _refuse_argument(rule)
    if problem or rule.rule != "expression":
        return problem
    try:
        compile_expression(rule.value)
    except BadExpression as error:
        return f"the expression is not valid: {error}", "it is CEL, for example output.rows > 0"
    return _refuse_fields(rule.value, output)


def _refuse_fields(expression: str, output: Shape) -> tuple[str, str] | None:
    for path in sorted(paths_read(expression, "output")):
        try:
            follow(output, path)
        except DeadPath as dead:
            return f"the output has nothing at '{'.'.join(path)}': {dead}", did_you_mean(str(dead.key), dead.known)
    return None


def _refuse_path(path: str, output: Shape) -> tuple[str, str] | None:
    try:
        follow(output, keys(path))
    except ValueError as error:
        return str(error), ""
    except DeadPath as dead:
        return f"the output has nothing at {path!r}: {dead}", did_you_mean(str(dead.key), dead.known)
    return None


def _refuse_argument(rule: Accept) -> tuple[str, str] | None:
    error = best_match(Draft202012Validator(ARGUMENTS[rule.rule]).iter_errors(rule.value))
    if error is not None:
        return f"{rule.rule}: {error.message}", ""
    try:
        PREPARE.get(rule.rule, id)(rule.value)
    except ValueError as invalid:
        return f"{rule.rule}: {invalid}", ""
    return None
