"""A random job: its plan, and what its tools, its decider and its receiver do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from daemon.domain.actions import Ask
from daemon.domain.defaults import Limits, Retry
from daemon.domain.errors import Kind
from daemon.domain.model import Decision, Json, Letter, Purpose
from daemon.domain.plan import Decide, Exhausted, Fresh, Plan, Repair, Step
from daemon.domain.tool import Effect
from daemon.ports import Call

from .faults import Dice, Faults
from .plays import Play, fail, hang, lose_answer, succeed
from .scripted_decider import agree, choose, refuse
from .tools import TOOLS, make_plan

BROKEN: Json = ["no object, whatever the schema says"]
CLEAN = (Kind.TRANSIENT, Kind.TRANSIENT, Kind.BAD_DATA, Kind.DENIED, Kind.MISCONFIGURED, Kind.INVALID_INPUT)
UNCLEAN = (Kind.TIMEOUT, Kind.CRASHED, Kind.UNKNOWN_OUTCOME)
SIZES = (1, 2, 2, 3, 3, 4, 5, 6, 7)
SLOWEST = 30
"""Seconds: the longest timeout of a step."""


def random_plan(dice: Dice, job: str = "job", sizes: Sequence[int] = SIZES) -> Plan:
    """One to seven steps over the four tools, in any legal shape, some with another that stands in."""
    steps: list[Step] = []
    for number in range(dice.pick(sizes)):
        steps.append(_step(dice, f"s{number + 1}", [step.id for step in steps]))
    return make_plan(
        [one for step in steps for one in _with_stand_in(dice, step)],
        job=job,
        decide=dice.pick((Decide.ALWAYS, Decide.ON_EXCEPTION, Decide.ON_EXCEPTION)),
        limits=_limits(dice),
        shares_dates=dice.happens(0.7),
    )


def _limits(dice: Dice) -> Limits:
    return Limits(
        active=timedelta(minutes=dice.pick((2, 30, 30))),
        deadline=timedelta(minutes=dice.pick((20, 120, 240))),
        parallel=dice.whole(1, 4),
        crashes=dice.whole(1, 3),
        answer_within=timedelta(minutes=dice.pick((5, 15))),
    )


def _step(dice: Dice, name: str, before: list[str]) -> Step:
    tool = dice.pick(("look", "look", "keep", "send", "send"))
    needs = tuple(one for one in before if dice.happens(0.35))
    weak = tuple(one for one in before if one not in needs and dice.happens(0.15))
    return Step(
        name,
        tool,
        inputs=_inputs(name, tool, needs),
        needs=needs,
        needs_weak=weak,
        timeout=timedelta(seconds=dice.pick((5, SLOWEST))),
        retry=Retry(dice.whole(1, 4), timedelta(seconds=dice.whole(1, 5)), timedelta(seconds=dice.pick((10, 60)))),
        repair=Repair("mend", {"of": name}) if dice.happens(0.3) else None,
        fresh=Fresh("look", every=timedelta(minutes=1), at_most=timedelta(minutes=5)) if dice.happens(0.08) else None,
        approve=dice.happens(0.1),
        optional=dice.happens(0.15),
        on_exhausted=dice.pick(tuple(Exhausted)),
        open=("note",) if dice.happens(0.5) else (),
    )


def _with_stand_in(dice: Dice, step: Step) -> tuple[Step, ...]:
    if not dice.happens(0.1):
        return (step,)
    name = f"{step.id}_else"
    other = replace(step, id=name, inputs=_inputs(name, step.use, step.needs), repair=None, approve=False, fresh=None)
    return replace(step, fallback=name), other


def _inputs(name: str, tool: str, needs: tuple[str, ...]) -> dict[str, Json]:
    inputs: dict[str, Json] = {"to": f"#{name}"} if tool == "send" else {}
    return {**inputs, "from": f"${{steps.{needs[0]}.output}}"} if needs else inputs


class Cast:
    """The tools as actors: every call gets its play from the dice. `fatal` ones take the daemon down with them."""

    def __init__(self, dice: Dice, faults: Faults) -> None:
        self._dice = dice
        self._faults = faults
        self.stubborn = dice.happens(0.05 if faults.tool else 0.0)
        """One whole history in which every tool takes the daemon down."""

    def __call__(self, call: Call) -> Play:
        dice = self._dice
        if call.purpose is Purpose.PROBE and dice.happens(0.5):
            return fail(Kind.TRANSIENT, "not complete yet")
        if not dice.happens(self._faults.tool):
            return succeed(self._output(call), seconds=dice.between(0.01, 4.0))
        if call.purpose is Purpose.RUN and TOOLS[call.tool].effect is Effect.EXTERNAL and dice.happens(0.5):
            return self._unclean()
        return self._failing()

    def fatal(self, call: Call) -> bool:
        """Whether the daemon dies while this call runs."""
        return self.stubborn or (call.purpose is not Purpose.RECONCILE and self._dice.happens(self._faults.tool * 0.03))

    def _output(self, call: Call) -> Json:
        return {"parts": ["message"]} if call.tool == "send" else {"ok": True}

    def _unclean(self) -> Play:
        """The effect arrives, all of it or some, and nobody hears of it; or it does not even arrive."""
        dice = self._dice
        seconds, kind = dice.between(0.1, 4.0), dice.pick(UNCLEAN)
        if dice.happens(0.3):
            return fail(kind, seconds=seconds)
        return lose_answer(kind, seconds=seconds, parts=dice.pick((None, None, 1)))

    def _failing(self) -> Play:
        dice = self._dice
        seconds = dice.between(0.01, 4.0)
        if dice.happens(0.1):
            return hang()
        if dice.happens(0.1):
            return succeed(BROKEN, seconds=seconds)
        if dice.happens(0.1):
            return Play(succeed().outcome, seconds, sends=seconds, repeats=True)
        kind = dice.pick((*CLEAN, *UNCLEAN))
        return fail(kind, seconds=seconds, after=dice.pick((None, None, 1.0, 300.0)))


class Whims:
    """A decider's choices: often the rule's, sometimes any letter, another tool, a locked input, or none at all."""

    def __init__(self, dice: Dice, faults: Faults) -> None:
        self._dice = dice
        self._faults = faults

    def __call__(self, step: Step, ask: Ask) -> Decision:
        dice = self._dice
        if not dice.happens(self._faults.nonsense):
            return agree(step, ask)
        letter = dice.pick(tuple(Letter))
        choice = dice.pick(
            (
                choose(letter),
                choose(letter, inputs={"note": dice.whole(1, 3)}),
                choose(letter, inputs={"to": "#elsewhere"}),
                choose(letter, inputs={"note": float("nan")}),
                choose(letter, tool="send"),
                refuse,
            )
        )
        return choice(step, ask)
