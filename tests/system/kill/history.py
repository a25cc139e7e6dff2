"""One seeded history of real processes: strikes, then a life to the end, then what must be true."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daemon.domain.job import Disposition
from daemon.domain.model import RunState, StepState
from daemon.domain.schedule import Schedule, due_between
from tests.system.kill import litter
from tests.system.kill.stand import Stand, shop_of_steps

LIFE_SECONDS = 90.0
"""No life may take longer, whatever the machine does."""
EVERY_MINUTE = "* * * * *"


@dataclass
class Verdict:
    """How one history came out. `kills` counts the processes that really died in the middle."""

    seed: int
    mode: str
    kills: int = 0
    strikes: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = "; ".join(self.violations) or "nothing lost, nothing twice"
        return f"seed {self.seed} ({self.mode}, {self.kills} kills at {', '.join(self.strikes)}): {told}"


def play(seed: int, folder: Path, store: str = "", cache: Path | None = None, most: int = 3) -> Verdict:
    """Up to `most` kills in one history, and what they broke."""
    dice = random.Random(seed)
    mode = dice.choice(("run", "run", "serve"))
    stand = Stand(folder, store, cache)
    stand.set_up(shop_of_steps(folder, cron=EVERY_MINUTE if mode == "serve" else None))
    since = datetime.now(UTC) - timedelta(minutes=3)
    if mode == "serve":
        stand.owe(since)
    return History(stand, Verdict(seed, mode), since).live([_strike(dice) for _ in range(dice.randint(1, most))])


def _strike(dice: random.Random) -> str:
    """A named point, or a moment that nobody named."""
    kind = dice.choice(("touch", "touch", "touch", "launch", "outcome", "outcome", "during", "any"))
    if kind == "any":
        return f"any:{dice.uniform(0.05, 1.5):.6f}"
    number = dice.randint(1, 18 if kind == "touch" else 4)
    return f"{kind}:{number}" + (f":{dice.uniform(0.0, 0.1):.6f}" if kind == "during" else "")


@dataclass
class History:
    stand: Stand
    verdict: Verdict
    since: datetime
    _seen: dict[str, int] = field(default_factory=dict)
    """Finished steps, with how often each had worked when it was first seen finished."""

    def live(self, strikes: list[str]) -> Verdict:
        for strike in strikes:
            self._life(strike)
            self._note()
        self._last_life()
        self.verdict.violations += [*self._repeated(), *self._once(), *self._ends(), *self._accounted()]
        return self.verdict

    def _life(self, strike: str) -> None:
        self.verdict.strikes.append(strike)
        if strike.startswith("any:"):
            process = litter.start(self.verdict.mode, self.stand.folder, "never")
            process.join(float(strike.partition(":")[2]))
            process.kill()
            process.join()
            code = process.exitcode
        else:
            code = self._see_through(strike)
        self.verdict.kills += code == -signal.SIGKILL

    def _see_through(self, strike: str = "never") -> int:
        """The process dies or ends by itself; one that serves is asked to, once it has nothing left to do."""
        before, until = self.stand.takeovers, time.monotonic() + LIFE_SECONDS
        process, asked = litter.start(self.verdict.mode, self.stand.folder, strike), False
        while process.is_alive():
            if time.monotonic() > until:
                process.kill()
                self.verdict.violations.append("a life did not end")
            elif not asked and self._served(before):
                asked = True
                process.terminate()
            process.join(0.2)
        return process.exitcode or 0

    def _served(self, takeovers: int) -> bool:
        return self.verdict.mode == "serve" and self.stand.takeovers > takeovers and self.stand.all_ended()

    def _last_life(self) -> None:
        """And another one, where a minute came just as that one was asked to stop."""
        for _ in range(3):
            if (code := self._see_through()) != 0:
                self.verdict.violations.append(f"the last life ended with {code}: {self.stand.log[-800:]}")
            if self.stand.all_ended():
                return

    def _note(self) -> None:
        counted = self.stand.counted()
        for name in self.stand.finished():
            self._seen.setdefault(name, counted[name])

    # -- what must be true

    def _repeated(self) -> Iterator[str]:
        counted = self.stand.counted()
        for name, times in self._seen.items():
            if counted[name] != times:
                yield f"the finished step {name} ran again"

    def _once(self) -> Iterator[str]:
        runs = self.stand.runs()
        arrivals = self.stand.arrivals()
        if any(times > 1 for times in arrivals.values()):
            yield f"delivered more than once: {dict(arrivals)}"
        # A day that is asked for again is adopted; instants of one day deliver each for itself.
        owed = len(runs) if self.verdict.mode == "serve" else 1
        if len(arrivals) != owed:
            yield f"{len(runs)} runs, {len(arrivals)} deliveries"

    def _ends(self) -> Iterator[str]:
        for run in self.stand.runs():
            if run.state is not RunState.SUCCEEDED:
                yield f"{run.id} ended {run.state}: {run.reason}"
            if undone := [name for name, at in run.steps.items() if at.state is not StepState.DONE]:
                yield f"{run.id} is without {undone}"

    def _accounted(self) -> Iterator[str]:
        rows = self.stand.ledger()
        if self.verdict.mode != "serve":
            return
        until = max(row.occurrence.instant for row in rows)
        due = list(due_between(Schedule(EVERY_MINUTE, "UTC"), self.since, until))
        if [row.occurrence.instant for row in rows] != due:
            yield f"due {len(due)}, accounted for {len(rows)}"
        known = {run.id for run in self.stand.runs()}
        for row in rows:
            # A minute that comes while the run before it is still at work is skipped, and carried by nobody.
            if row.disposition in {Disposition.STARTED, Disposition.LATE_STARTED} and row.run not in known:
                yield f"{row.occurrence.instant} says that {row.run} carries it, and there is no such run"
