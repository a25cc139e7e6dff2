"""From a job as written to a plan that can run: everything that could be known to fail is refused here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import timedelta

from .contracts import Contract
from .draft import Draft, Refusal, Refused, Toolbox
from .graph import refuse_order, with_implied_needs
from .model import Json
from .plan import Plan, Step
from .references import Key
from .schemas import Shape
from .snapshot import over_quota
from .tool import BrokenTool, ToolSpec
from .wiring import Sources, Wiring


def compile_plan(draft: Draft, toolbox: Toolbox) -> Plan:
    """The checked plan. A broken tool is left out of it: see `broken_tools`. Raises Refused with every fault."""
    ids = {step.id for step in draft.steps}
    steps = tuple(with_implied_needs(step, ids) for step in draft.steps)
    contracts = [Contract(n, step, draft.timeouts.get(n), toolbox) for n, step in enumerate(steps)]
    if refusals := tuple(_refuse(draft, contracts, toolbox)):
        raise Refused(refusals)
    specs = {name: toolbox.tools[name] for name in _tools(steps) if name in toolbox.tools}
    plan = Plan(
        job=draft.job,
        goal=draft.goal,
        steps=tuple(_tightened(contract, specs) for contract in contracts),
        tools=specs,
        decide=draft.decide,
        limits=draft.limits,
        shares_dates=draft.shares_dates,
        about=draft.about,
    )
    if refusals := tuple(_undescribable(plan)):
        raise Refused(refusals)
    return replace(plan, digest=digest(plan))


def _undescribable(plan: Plan) -> Iterator[Refusal]:
    """What a decider must see whole, and what is too large for that."""
    for number, message in over_quota(plan):
        place: tuple[Key, ...] = ("goal",) if number is None else ("steps", number, "open")
        yield Refusal("" if number is None else plan.steps[number].id, place, message, "say it in fewer words")


def broken_tools(draft: Draft, toolbox: Toolbox) -> Iterator[Refusal]:
    """The places where the job uses a tool that was found broken, each with the reason."""
    for number, step in enumerate(draft.steps):
        if tool := toolbox.why_broken(step.use):
            yield _broken(step, tool, ("steps", number, "use"))
        if step.repair and (tool := toolbox.why_broken(step.repair.use)):
            yield _broken(step, tool, ("steps", number, "repair", "use"))
        if step.fresh and (tool := toolbox.why_broken(step.fresh.use)):
            yield _broken(step, tool, ("steps", number, "fresh", "use"))


def digest(plan: Plan) -> str:
    """SHA-256 over everything that the plan says, but not over where the tools lie on this machine."""
    body = asdict(replace(plan, digest="", tools={name: replace(t, path="") for name, t in plan.tools.items()}))
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> Json:
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(f"{value!r} has no place in a plan")


def _broken(step: Step, tool: BrokenTool, path: tuple[Key, ...]) -> Refusal:
    place = f"{tool.path}:{tool.line}" if tool.line else tool.path
    return Refusal(step.id, path, f"the tool {tool.name!r} is broken: {place}: {tool.message}", "mend the tool")


def _tightened(contract: Contract, specs: dict[str, ToolSpec]) -> Step:
    spec = specs.get(contract.step.use)
    return contract.tighten(spec) if spec else contract.step


def _tools(steps: tuple[Step, ...]) -> Iterator[str]:
    for step in steps:
        yield step.use
        if step.repair is not None:
            yield step.repair.use
        if step.fresh is not None:
            yield step.fresh.use


def _refuse(draft: Draft, contracts: list[Contract], toolbox: Toolbox) -> Iterator[Refusal]:
    steps = tuple(contract.step for contract in contracts)
    yield from _limits(draft)
    yield from refuse_order(steps)
    outputs = {step.id: _output(step, toolbox) for step in steps}
    fallbacks = {step.id: step.fallback for step in steps if step.fallback}
    for contract in contracts:
        yield from contract.refuse()
        yield from _inputs(contract, Sources(outputs, frozenset(contract.step.needs_weak), fallbacks))


def _output(step: Step, toolbox: Toolbox) -> Shape:
    spec = toolbox.tools.get(step.use)
    return Shape.of(spec.output_schema) if spec else Shape.unknown()


def _inputs(contract: Contract, sources: Sources) -> Iterator[Refusal]:
    step, tools = contract.step, contract.toolbox.tools
    root: tuple[Key, ...] = ("steps", contract.number)
    wiring = Wiring(step.id, sources)
    if spec := tools.get(step.use):
        yield from wiring.refuse(step.inputs, spec.input_schema, (*root, "with"))
    if step.repair and (spec := tools.get(step.repair.use)):
        yield from wiring.refuse(step.repair.inputs, spec.input_schema, (*root, "repair", "with"))
    if step.fresh and (spec := tools.get(step.fresh.use)):
        yield from wiring.refuse(step.fresh.inputs, spec.input_schema, (*root, "fresh", "with"))


def _limits(draft: Draft) -> Iterator[Refusal]:
    limits = draft.limits
    if not draft.steps:
        yield Refusal("", ("steps",), "the job has no steps", "add one step at least")
    if len(draft.steps) > limits.steps:
        yield Refusal("", ("steps",), f"there are {len(draft.steps)} steps; the limit is {limits.steps}")
    if limits.answer_within >= limits.deadline:
        message = "a question to a person must expire before the run's deadline"
        yield Refusal("", ("limits", "answer_within"), message, "shorten answer_within or raise deadline")
    for number, step in enumerate(draft.steps):
        if step.fresh and step.fresh.at_most >= limits.deadline:
            message = "a source may not be waited for until the run's deadline"
            yield Refusal(step.id, ("steps", number, "fresh"), message, "shorten at_most or raise limits.deadline")
    for number, timeout in draft.timeouts.items():
        if timeout > limits.active:
            message = f"the step may take longer than the whole run ({limits.active.total_seconds():g}s)"
            yield Refusal(draft.steps[number].id, ("steps", number, "timeout"), message)
