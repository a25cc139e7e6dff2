"""The ToolRunner over the sandbox: the daemon's values in, the daemon's values out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from ..domain.errors import Kind
from ..domain.model import Failed, Purpose, Reconciled, Succeeded, Verdict
from ..ports import Call, Ended, Running
from .sandbox import protocol
from .sandbox.recipe import Recipe
from .sandbox.runner import Sandbox


class SandboxRunner:
    """One zygote and its workers. A call ends exactly once, in the sandbox's own thread."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def start(self, call: Call, on_end: Callable[[Ended], None]) -> Running:
        return self._sandbox.start(_tool_call(call), lambda result: on_end(_ended(result)))

    def renew(self, recipe: Recipe) -> None:
        """Calls from now on meet the tools as they are now; one in flight goes on."""
        self._sandbox.reload(recipe)

    def close(self) -> None:
        self._sandbox.close()


def _tool_call(call: Call) -> protocol.ToolCall:
    return protocol.ToolCall(
        call_id=call.id,
        tool=call.tool,
        mode="reconcile" if call.purpose is Purpose.RECONCILE else "run",
        input=call.input,
        workdir=str(call.workdir),
        deadline=call.deadline,
        timeout=call.seconds,
        effect_key=call.effect_key,
        secrets=dict(call.secrets),
        parts=call.parts,
        outbox=str(call.outbox) if call.outbox else None,
        dry_run=call.dry_run,
        expires=call.expires,
        since=call.since.isoformat() if call.since else None,
    )


def _ended(result: protocol.ToolResult) -> Ended:
    return Ended(_outcome(result.outcome), result.tail)


def _outcome(outcome: protocol.Outcome) -> Succeeded | Failed | Reconciled:
    if isinstance(outcome, protocol.Failed):
        return Failed(Kind(outcome.kind), outcome.message, outcome.hint, outcome.retry_after)
    if isinstance(outcome, protocol.Succeeded):
        return Succeeded(outcome.output, outcome.summary, tuple(asdict(a) for a in outcome.artifacts))
    return Reconciled(
        Verdict(outcome.verdict), outcome.output, outcome.summary or "", outcome.parts, outcome.reason or ""
    )
