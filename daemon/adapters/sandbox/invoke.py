"""One call inside the worker: check the input, run the tool, check what came out."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from atomic_tools._contract import (
    SUMMARY_LIMIT,
    CannotTell,
    Found,
    NotFound,
    Partial,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolOutput,
)
from daemon.adapters.sandbox import frames
from daemon.adapters.sandbox.protocol import ArtifactRef, Failed, Outcome, Reconciled, Succeeded, ToolCall

_MESSAGE_LIMIT = 2000
_ARTIFACT_KEYS = {"name", "sha256", "size", "media_type"}


class WrongOutputError(Exception):
    """The tool returned something that its own contract does not allow."""


def invoke(tool: Tool, call: ToolCall) -> Outcome:
    """Run the tool, or its reconcile hook, for `call`. Every fault of the tool becomes a Failed."""
    try:
        request = tool.input_type.model_validate_json(frames.dumps(call.input))
    except ValidationError as error:
        return Failed("invalid_input", _bounded(_in_words(error)))
    try:
        return _RUN[call.mode](tool, request, call)
    except WrongOutputError as error:
        return Failed("invalid_output", _bounded(str(error)))
    except ToolError as error:
        traceback.print_exc()
        return _declared(error)


def crash(error: BaseException, call: ToolCall) -> Failed:
    """What a fault that no contract declares means for the call."""
    traceback.print_exception(error)
    if isinstance(error, MemoryError):
        reason = str(error) or "an allocation was refused"
        return Failed("crashed", f"out of memory: the tool may use {call.limits.memory >> 20} MB ({_bounded(reason)})")
    if isinstance(error, SystemExit):
        return Failed("crashed", f"the tool left through sys.exit({error.code!r})")
    return Failed("crashed", _bounded(f"{type(error).__name__}: {error} ({_place(error)})"))


def _run(tool: Tool, request: ToolInput, call: ToolCall) -> Outcome:
    output, summary = _checked(tool, tool.function(request, _context(call)), call.limits.output)
    return Succeeded(output, summary, tuple(_artifacts(output)))


def _reconcile(tool: Tool, request: ToolInput, call: ToolCall) -> Outcome:
    if tool.reconcile is None:
        return Reconciled("cannot_tell", reason=f"{tool.name} has no reconcile")
    match tool.reconcile(request, _context(call)):
        case Found(output=found):
            output, summary = _checked(tool, found, call.limits.output)
            return Reconciled("found", output=output, summary=summary)
        case Partial(parts=parts):
            return Reconciled("partial", parts=tuple(map(str, parts)))
        case NotFound():
            return Reconciled("not_found")
        case CannotTell(reason=reason):
            return Reconciled("cannot_tell", reason=_bounded(reason))
        case other:
            raise WrongOutputError(f"reconcile returned {type(other).__name__}, not a reconcile result")


_RUN = {"run": _run, "reconcile": _reconcile}


def _context(call: ToolCall) -> ToolContext:
    return ToolContext(
        workdir=Path(call.workdir),
        deadline=call.deadline,
        effect_key=call.effect_key,
        secrets=dict(call.secrets),
        parts=call.parts,
        outbox=Path(call.outbox) if call.outbox else None,
        dry_run=call.dry_run,
        expires=call.expires,
        since=datetime.fromisoformat(call.since) if call.since else None,
    )


def _checked(tool: Tool, output: ToolOutput, limit: int) -> tuple[dict[str, Any], str]:
    """The output as JSON that its own model accepts unchanged, and its summary; raises WrongOutputError."""
    if not isinstance(output, tool.output_type):
        raise WrongOutputError(f"{tool.name} returned {type(output).__name__}, not {tool.output_type.__name__}")
    data, text = _as_json(output)
    if len(text) > limit:
        raise WrongOutputError(
            f"the output is {len(text)} bytes of JSON, at most {limit} are allowed; save big data as an artifact"
        )
    try:
        again = tool.output_type.model_validate_json(text)
    except ValidationError as error:
        raise WrongOutputError(_in_words(error)) from error
    if _as_json(again)[0] != data:
        raise WrongOutputError("the output changes when it is read back from JSON")
    return data, _summary(again)


def _as_json(output: ToolOutput) -> tuple[dict[str, Any], bytes]:
    try:
        data = output.model_dump(mode="json", by_alias=True, warnings=False)
        return data, frames.dumps(data)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError) as error:
        raise WrongOutputError(f"the output is not JSON: {error}") from error


def _summary(output: ToolOutput) -> str:
    line = " ".join(str(output.summary()).split())
    return line if len(line) <= SUMMARY_LIMIT else line[: SUMMARY_LIMIT - 1] + "…"


def _artifacts(value: object) -> Iterator[ArtifactRef]:
    if isinstance(value, dict):
        if value.keys() == _ARTIFACT_KEYS:
            yield ArtifactRef(**value)
        else:
            for part in value.values():
                yield from _artifacts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _artifacts(part)


def _declared(error: ToolError) -> Failed:
    wait = error.retry_after.total_seconds() if error.retry_after is not None else None
    hint = _bounded(error.hint) if error.hint else None
    return Failed(error.kind, _bounded(str(error.message)), hint, wait)


def _in_words(error: ValidationError) -> str:
    """Every fault as `field: what is wrong`; the values stay out, they may be secret or huge."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'value'}: {fault['msg']}" for fault in faults)


def _place(error: BaseException) -> str:
    frames_ = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames_[-1].filename).name}:{frames_[-1].lineno}" if frames_ else "no line known"


def _bounded(text: str) -> str:
    return text if len(text) <= _MESSAGE_LIMIT else text[: _MESSAGE_LIMIT - 1] + "…"
