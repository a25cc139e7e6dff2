"""A YAML value in which every part knows its place, so that a fault can name file, line and column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ..domain.model import Json
from ..domain.references import Key
from .faults import Place

Value: TypeAlias = "dict[str, Located] | list[Located] | str | int | float | bool | None"


@dataclass(frozen=True, slots=True)
class Located:
    """`key` is where the name of this value stands, where it has one."""

    value: Value
    place: Place
    key: Place | None = None

    @property
    def start(self) -> Place:
        return self.key or self.place

    @property
    def mapping(self) -> dict[str, Located]:
        """Its members by name; none where it is no mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Located]:
        return self.value if isinstance(self.value, list) else []

    def child(self, key: Key) -> Located | None:
        if isinstance(key, str):
            return self.mapping.get(key)
        return self.items[key] if key < len(self.items) else None

    def find(self, path: Sequence[Key]) -> Located:
        """What lies at `path`, or the last part on the way to it."""
        found = self
        for key in path:
            child = found.child(key)
            if child is None:
                break
            found = child
        return found

    def without(self, *names: str) -> Located:
        return replace(self, value={k: v for k, v in self.mapping.items() if k not in names})

    def plain(self) -> Json:
        if isinstance(self.value, dict):
            return {name: child.plain() for name, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value

    def leaves(self, path: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Located]]:
        """Every scalar with the path to it."""
        children: list[tuple[Key, Located]] = [*self.mapping.items(), *enumerate(self.items)]
        for key, child in children:
            yield from child.leaves((*path, key))
        if not isinstance(self.value, dict | list):
            yield path, self

    def replaced(self, change: Callable[[tuple[Key, ...], Located], Located], path: tuple[Key, ...] = ()) -> Located:
        """A copy with every scalar passed through `change`."""
        if isinstance(self.value, dict):
            members = {k: child.replaced(change, (*path, k)) for k, child in self.value.items()}
            return replace(self, value=members)
        if isinstance(self.value, list):
            return replace(self, value=[c.replaced(change, (*path, n)) for n, c in enumerate(self.value)])
        return change(path, self)


def locate(value: Json, place: Place, key: Place | None = None) -> Located:
    """Plain JSON as if all of it stood at one place."""
    if isinstance(value, dict):
        return Located({str(k): locate(v, place, place) for k, v in value.items()}, place, key)
    if isinstance(value, list):
        return Located([locate(item, place) for item in value], place, key)
    return Located(value, place, key)


def merge(base: Located, over: Located) -> Located:
    """`over` on top of `base`: mappings name by name, lists of things with an `id` by id, all else replaced."""
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        merged = dict(base.value)
        for name, child in over.value.items():
            merged[name] = merge(merged[name], child) if name in merged else child
        return replace(over, value=merged)
    if _ids(base) and _ids(over):
        return replace(over, value=_merge_by_id(base, over))
    return over


def _merge_by_id(base: Located, over: Located) -> list[Located]:
    changes = {item.mapping["id"].value: item for item in over.items}
    kept = [merge(item, changes.pop(item.mapping["id"].value, Located({}, item.place))) for item in base.items]
    return [*kept, *changes.values()]


def _ids(located: Located) -> bool:
    return bool(located.items) and all("id" in item.mapping for item in located.items)
