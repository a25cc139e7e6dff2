"""CEL expressions: typed, free of side effects, always ending."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .errors import ClockwrightError
from .model import Json


class BadExpression(ClockwrightError):
    """It cannot be read, or it makes no sense for the value that it met."""


def compile_expression(text: str) -> Any:
    """A runnable program. Raises BadExpression."""
    import celpy  # noqa: PLC0415 - half a second, and most jobs have no expression
    from celpy.celparser import CELParseError  # noqa: PLC0415

    environment = celpy.Environment()  # one each: they may not be shared between threads
    try:
        return environment.program(environment.compile(text))
    except CELParseError as error:
        place = f" (line {error.line}, column {error.column})" if error.line else ""
        raise BadExpression(f"{' '.join(text.split())!r} cannot be read{place}") from error


def paths_read(text: str, variable: str) -> set[tuple[str, ...]]:
    """The fields of `variable` that the expression names: `output.kpis.net > 0` reads kpis, net."""
    import celpy  # noqa: PLC0415 - see above

    tree = celpy.Environment().compile(text)
    chains = (_chain(node, variable) for node in tree.iter_subtrees() if node.data == "member_dot")
    return {chain for chain in chains if chain is not None}


def _chain(node: Any, variable: str) -> tuple[str, ...] | None:
    """The names behind `variable` in a chain of dots; None for a chain that begins elsewhere."""
    inner = node.children[0].children[0]
    before = _chain(inner, variable) if inner.data == "member_dot" else _root(inner, variable)
    return None if before is None else (*before, str(node.children[1]))


def _root(node: Any, variable: str) -> tuple[str, ...] | None:
    if node.data != "primary" or node.children[0].data != "ident":
        return None
    return () if str(node.children[0].children[0]) == variable else None


def evaluate(text: str, variables: Mapping[str, Json]) -> Json:
    """What the expression gives; a truth value as a Python bool. Raises BadExpression."""
    from celpy.adapter import json_to_cel  # noqa: PLC0415 - see above
    from celpy.celtypes import BoolType  # noqa: PLC0415

    program = compile_expression(text)
    try:
        activation = {name: json_to_cel(_finite(value)) for name, value in variables.items()}
        result = program.evaluate(activation)
    except Exception as error:  # the library lets Python's own errors out for odd data
        raise BadExpression(_reason(error)) from error
    return bool(result) if isinstance(result, BoolType) else result


def _finite(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("NaN and infinity are no JSON")
    return value


def _reason(error: Exception) -> str:
    reason = str(error.args[0]) if error.args else type(error).__name__
    return " ".join(reason.split())[:200]
