"""A step against the contract of its tool: the effect, the timeout, the open inputs, the secrets, the repair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from .acceptance import refuse_rule
from .draft import Refusal, Toolbox
from .nearest import did_you_mean
from .plan import Accept, Step
from .references import Key
from .schemas import Shape
from .tool import Effect, ToolSpec


def unset_secrets(step: Step, toolbox: Toolbox) -> Iterator[str]:
    """Secrets that the tool needs and nothing provides: it will fail without them."""
    spec = toolbox.tools.get(step.use)
    if spec is not None:
        known = {*step.secrets, *toolbox.secrets, *spec.optional_secrets}
        yield from (name for name in spec.secrets if name not in known)


@dataclass(frozen=True, slots=True)
class Contract:
    """One step at its place in the file, its own timeout if it has one, and everything it may use."""

    number: int
    step: Step
    timeout: timedelta | None
    toolbox: Toolbox

    def tighten(self, spec: ToolSpec) -> Step:
        """The step with what the contract adds: its timeout and the secrets that go by the tool's own names."""
        probe = self.toolbox.tools.get(self.step.fresh.use) if self.step.fresh else None
        declared = (*spec.secrets, *(probe.secrets if probe else ()))
        own = {name: name for name in declared if name in self.toolbox.secrets}
        return replace(self.step, timeout=self.timeout or spec.timeout, secrets={**own, **self.step.secrets})

    def refuse(self) -> Iterator[Refusal]:
        spec = self.toolbox.tools.get(self.step.use)
        if spec is not None:
            yield from self._effect(spec)
            yield from self._timeout(spec)
            yield from self._open(spec)
            yield from self._secrets(spec)
            yield from self._accept(spec)
        elif not self.toolbox.why_broken(self.step.use):
            yield self._unknown(self.step.use, "use")
        yield from self._repair()
        yield from self._fresh()

    def _effect(self, spec: ToolSpec) -> Iterator[Refusal]:
        if spec.effect is Effect.EXTERNAL and not spec.reconcile:
            message = f"the tool {spec.name!r} acts on the outside but cannot say after a crash whether it did"
            yield self._refusal(message, "give the tool a reconcile function", "use")

    def _timeout(self, spec: ToolSpec) -> Iterator[Refusal]:
        if self.timeout is not None and self.timeout > spec.timeout:
            message = f"a step may only tighten its tool's timeout of {spec.timeout.total_seconds():g}s"
            yield self._refusal(message, f"write {spec.timeout.total_seconds():g}s or less", "timeout")

    def _open(self, spec: ToolSpec) -> Iterator[Refusal]:
        known = Shape.of(spec.input_schema).properties
        for index, name in enumerate(self.step.open):
            if name not in known:
                message = f"the tool {spec.name!r} has no input {name!r} to leave open"
                yield self._refusal(message, did_you_mean(name, known), "open", index)

    def _secrets(self, spec: ToolSpec) -> Iterator[Refusal]:
        for theirs, ours in self.step.secrets.items():
            if theirs not in spec.secrets:
                message = f"the tool {spec.name!r} declares no secret {theirs!r}"
                yield self._refusal(message, did_you_mean(theirs, spec.secrets), "secrets", theirs)
            elif ours not in self.toolbox.secrets:
                message = f"no secret {ours!r} is configured"
                hint = did_you_mean(ours, self.toolbox.secrets) or "add it under 'secrets' of clockwright.yaml"
                yield self._refusal(message, hint, "secrets", theirs)

    def _accept(self, spec: ToolSpec) -> Iterator[Refusal]:
        for index, rule in enumerate(self.step.accept):
            if problem := refuse_rule(rule, Shape.of(spec.output_schema)):
                yield self._refusal(problem[0], problem[1], "accept", index)

    def _repair(self) -> Iterator[Refusal]:
        if self.step.repair is None or self.toolbox.why_broken(self.step.repair.use):
            return
        spec = self.toolbox.tools.get(self.step.repair.use)
        if spec is None:
            yield self._unknown(self.step.repair.use, "repair", "use")
        elif spec.effect is Effect.EXTERNAL:
            message = f"the tool {spec.name!r} acts on the outside, so it cannot be a repair"
            yield self._refusal(message, "a repair may be repeated; use a step of its own", "repair", "use")

    def _fresh(self) -> Iterator[Refusal]:
        gate = self.step.fresh
        if gate is None or self.toolbox.why_broken(gate.use):
            return
        spec = self.toolbox.tools.get(gate.use)
        if spec is None:
            yield self._unknown(gate.use, "fresh", "use")
            return
        if spec.effect is not Effect.NONE:
            message = f"the tool {spec.name!r} changes something, so it cannot be a probe"
            yield self._refusal(message, "a probe is asked again and again; it may only look", "fresh", "use")
        rule = Accept("", "expression", gate.until)
        if gate.until and (problem := refuse_rule(rule, Shape.of(spec.output_schema))):
            yield self._refusal(problem[0], problem[1], "fresh", "until")
        if gate.every < timedelta(seconds=1) or gate.at_most < gate.every:
            message = "a source is probed at most once a second, and waited for at least as long as from probe to probe"
            yield self._refusal(message, "raise every, or at_most", "fresh", "every")

    def _unknown(self, name: str, *keys: Key) -> Refusal:
        return self._refusal(f"there is no tool {name!r}", did_you_mean(name, self.toolbox.tools), *keys)

    def _refusal(self, message: str, hint: str, *keys: Key) -> Refusal:
        return Refusal(self.step.id, ("steps", self.number, *keys), message, hint)
