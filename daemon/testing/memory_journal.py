"""The journal of intents, in memory: what a store that was put back has forgotten is still in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from daemon.ports import EffectRow


@dataclass(slots=True)
class MemoryJournal:
    """`daemon.ports.Journal`."""

    rows: dict[str, EffectRow] = field(default_factory=dict)

    def note(self, intent: EffectRow) -> None:
        self.rows[intent.key] = intent

    def entries(self) -> list[EffectRow]:
        return list(self.rows.values())
