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
