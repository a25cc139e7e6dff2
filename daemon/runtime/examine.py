"""From what a call came out as to an outcome: schema, acceptance rules, artifacts kept, large outputs spilled."""

from __future__ import annotations

import json
from dataclasses import replace

from ..domain.acceptance import check
from ..domain.artifacts import artifacts_in
from ..domain.defaults import INLINE_OUTPUT_BYTES, MESSAGE_CHARS, SUMMARY_CHARS
from ..domain.errors import Kind
from ..domain.model import Failed, Json, Purpose, Reconciled, Succeeded, Verdict
from ..domain.plan import Accept, Plan, Step
from ..domain.tool import ToolSpec
from ..ports import Artifacts, Call, Ended
from .contracts import check_output
from .prepare import SPILLED


def examine(artifacts: Artifacts, plan: Plan, step: Step, call: Call, ended: Ended) -> Succeeded | Failed | Reconciled:
    """The outcome that is stored. A wrong output is a failed attempt, not a success with a warning."""
    outcome = ended.outcome
    if isinstance(outcome, Failed):
        return replace(outcome, message=_plain(outcome.message, MESSAGE_CHARS))
    if isinstance(outcome, Reconciled) and outcome.verdict is not Verdict.FOUND:
        return outcome
    if fault := _fault(plan.tools[call.tool], outcome.output, _rules(step, call.purpose)):
        return fault
    output, summary = _spilled(artifacts, outcome.output), _plain(outcome.summary, SUMMARY_CHARS)
    if isinstance(outcome, Reconciled):
        return replace(outcome, output=output, summary=summary)
    return _keep(artifacts, call, Succeeded(output, summary, tuple(artifacts_in(outcome.output))))


def _rules(step: Step, purpose: Purpose) -> tuple[Accept, ...]:
    """What the output has to fulfil: a probe's, that the source is complete."""
    if purpose is Purpose.PROBE and step.fresh:
        return (Accept("", "expression", step.fresh.until),) if step.fresh.until else ()
    return step.accept if purpose is Purpose.RUN else ()


def _plain(text: str, most: int) -> str:
    """Text that can be stored: half a character, which JSON can smuggle in, is replaced."""
    return text[:most].encode(errors="replace").decode()


def _keep(artifacts: Artifacts, call: Call, outcome: Succeeded) -> Succeeded | Failed:
    """Files are on disk before the row that names them is written."""
    try:
        for artifact in outcome.artifacts:
            artifacts.keep(call.workdir, artifact)
    except ValueError as lie:
        return Failed(Kind.INVALID_OUTPUT, str(lie))
    return outcome


def _fault(tool: ToolSpec, output: Json, rules: tuple[Accept, ...]) -> Failed | None:
    if reason := _not_plain(output) or check_output(tool, output):
        return Failed(Kind.INVALID_OUTPUT, _plain(reason, MESSAGE_CHARS))
    if rules and (reasons := check(output, rules)):
        return Failed(Kind.BAD_DATA, _plain("; ".join(reasons), MESSAGE_CHARS))
    return None


def _not_plain(output: Json) -> str:
    try:
        _text(output)
    except (TypeError, ValueError) as error:
        return f"the output is not plain JSON: {error}"
    return ""


def _text(output: Json) -> bytes:
    return json.dumps(output, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _spilled(artifacts: Artifacts, output: Json) -> Json:
    """State stays small at any volume: what is larger than 8 KB travels by reference."""
    text = _text(output)
    return output if len(text) <= INLINE_OUTPUT_BYTES else {SPILLED: artifacts.put(text)}
