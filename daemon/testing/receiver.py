"""The outside party of an external effect: it counts what arrives, and can be asked what it has."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.domain.errors import Kind
from daemon.domain.model import Failed, Reconciled, Verdict
from daemon.ports import Call

from .fake_clock import FakeClock


@dataclass(frozen=True, slots=True)
class Parcel:
    """One part of an effect as it arrived. `step` is known to the test alone, never to a real receiver."""

    key: str
    part: str
    call: str
    step: str
    at: float


@dataclass(slots=True)
class Receiver:
    """Tells the truth as far as it can: `lag` seconds late in its history, nothing at all while `deaf`.

    While it is `away` nobody can even ask it.
    """

    clock: FakeClock
    parts: tuple[str, ...] = ("message",)
    lag: float = 0.0
    deaf: bool = False
    away: bool = False
    parcels: list[Parcel] = field(default_factory=list)

    def take(self, call: Call, most: int | None = None) -> None:
        """The parts of the effect that the call does not know to be here, or the first `most` of them."""
        missing = [part for part in self.parts if part not in call.parts]
        step = call.id.rsplit(".", 2)[-2]
        for part in missing[:most]:
            self.parcels.append(Parcel(call.effect_key or "", part, call.id, step, self.clock.boot()))

    def reconcile(self, call: Call) -> Reconciled | Failed:
        """The answer to "do you have this effect?"."""
        if self.away:
            return Failed(Kind.TRANSIENT, "nobody is there")
        if self.deaf:
            return Reconciled(Verdict.CANNOT_TELL, reason="the receiver does not answer")
        here = self._here(call.effect_key or "")
        if not here:
            return Reconciled(Verdict.NOT_FOUND)
        if len(here) < len(self.parts):
            return Reconciled(Verdict.PARTIAL, parts=here)
        return Reconciled(Verdict.FOUND, output=self.receipt(), summary="delivered before")

    def receipt(self) -> dict[str, object]:
        return {"parts": list(self.parts)}

    def _here(self, key: str) -> tuple[str, ...]:
        seen = {p.part for p in self.parcels if p.key == key and p.at + self.lag <= self.clock.boot()}
        return tuple(part for part in self.parts if part in seen)
