"""Fifty jobs from few lines: shared defaults, overlays for an environment, one job for each cell of a matrix.

The rule of every overlay: mappings are merged name by name, steps by their id, anything else is replaced.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ..domain.model import Json
from ..domain.nearest import did_you_mean
from ..domain.references import LOAD_TIME, Key, Reference, Unresolved, look_up, parse, unparse
from .faults import ConfigError, Fault
from .located import Located, locate, merge

_CELL = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_WITHIN_TEXT = re.compile(rf"(?<!\$)\$\{{(?:{'|'.join(LOAD_TIME)})\b[^}}]*\}}")
_SECRET = re.compile(r"SECRET|TOKEN|PASSWORD|PASSWD|APIKEY|API_KEY|PRIVATE_KEY|CREDENTIAL", re.IGNORECASE)
_CELLS = 500


@dataclass(frozen=True, slots=True)
class Overlay:
    """What lies under and over every job file."""

    defaults: Located | None
    environment: str
    environments: tuple[str, ...]
    variables: Mapping[str, str] = field(repr=False)
    settings: Mapping[str, str]
    """Places that a job may name: folder, state, outbox."""

    def apply(self, job: Located) -> Iterator[Located]:
        """Every job that the file describes, `${matrix...}` and `${env...}` filled in. Raises ConfigError."""
        whole = self._with_defaults(self._in_environment(job))
        for cell in _cells(whole.mapping.get("matrix")):
            yield _named(self._filled(whole.without("matrix"), cell), cell)

    def _in_environment(self, job: Located) -> Located:
        overlays = job.mapping.get("environments")
        if overlays is None:
            return job
        if not overlays.mapping:
            raise ConfigError(Fault.at(overlays.place, "'environments' must be a mapping of overlays by name"))
        for name, overlay in overlays.mapping.items():
            if name not in self.environments:
                hint = did_you_mean(name, self.environments) or "name it under 'environments' in clockwright.yaml"
                raise ConfigError(Fault.at(overlay.start, f"there is no environment {name!r}", hint))
        chosen = overlays.mapping.get(self.environment)
        bare = job.without("environments")
        return bare if chosen is None else replace(merge(bare, chosen), place=job.place)

    def _with_defaults(self, job: Located) -> Located:
        if self.defaults is None:
            return job
        under = self.defaults.mapping.get("step")
        whole = replace(merge(self.defaults.without("step"), job), place=job.place)
        steps = whole.mapping.get("steps")
        if under is None or steps is None or not steps.items:
            return whole
        filled = [replace(merge(under, step), place=step.place) for step in steps.items]
        return replace(whole, value={**whole.mapping, "steps": replace(steps, value=filled)})

    def _filled(self, job: Located, cell: Mapping[str, Json]) -> Located:
        filling = _Filling({"matrix": dict(cell), "env": self.variables, "settings": self.settings})
        filled = job.replaced(filling.leaf)
        if filling.faults:
            raise ConfigError(*filling.faults)
        return filled


def _cells(matrix: Located | None) -> Iterator[dict[str, Json]]:
    """Every combination of the matrix's values; one empty one without a matrix."""
    axes = {} if matrix is None else {name: _axis(name, axis) for name, axis in matrix.mapping.items()}
    if matrix is not None and not axes:
        raise ConfigError(Fault.at(matrix.place, "'matrix' must be a mapping of lists", "for example shop: [berlin]"))
    combinations = list(itertools.islice(itertools.product(*axes.values()), _CELLS + 1))
    if matrix is not None and len(combinations) > _CELLS:
        raise ConfigError(Fault.at(matrix.place, f"the matrix makes more than {_CELLS} jobs"))
    for values in combinations:
        yield dict(zip(axes, values, strict=True))


def _axis(name: str, axis: Located) -> list[Json]:
    if not axis.items:
        raise ConfigError(Fault.at(axis.place, f"the matrix needs a list of values for {name!r}"))
    seen: set[str] = set()
    for item in axis.items:
        word = _word(item.plain())
        if not _CELL.fullmatch(word):
            hint = "use small letters, digits, _ and -; a mapping takes its name from its 'id'"
            raise ConfigError(Fault.at(item.place, f"{word or 'this'!r} cannot be part of a job's id", hint))
        if word in seen:
            raise ConfigError(Fault.at(item.place, f"{word!r} is in the matrix twice"))
        seen.add(word)
    return [item.plain() for item in axis.items]


def _word(value: Json) -> str:
    chosen = value.get("id") if isinstance(value, dict) else value
    return str(chosen) if isinstance(chosen, str | int) and not isinstance(chosen, bool) else ""


def _named(job: Located, cell: Mapping[str, Json]) -> Located:
    """The job's id with the cell's words: `daily_sales_report-berlin`."""
    name = job.mapping.get("id")
    if not cell or name is None or not isinstance(name.value, str):
        return job
    whole = "-".join([name.value, *map(_word, cell.values())])
    return replace(job, value={**job.mapping, "id": replace(name, value=whole)})


@dataclass(frozen=True, slots=True)
class _Filling:
    """Fills in one job, and notes what it could not."""

    scope: Mapping[str, Json]
    faults: list[Fault] = field(default_factory=list)

    def leaf(self, path: tuple[Key, ...], leaf: Located) -> Located:
        if not isinstance(leaf.value, str) or "${" not in leaf.value:
            return leaf
        try:
            value = (_template if "with" in path else _text)(leaf.value, self.scope)
        except Unresolved as error:
            self.faults.append(Fault.at(leaf.place, str(error), _UNRESOLVED))
            return leaf
        return leaf if value is leaf.value else locate(value, leaf.place, leaf.key)


_UNRESOLVED = "env.NAME is an environment variable of the daemon, matrix.NAME a key of the job's matrix"


def _text(text: str, scope: Mapping[str, Json]) -> Json:
    """Where no run-time references are: only the load-time ones mean anything."""
    if _WITHIN_TEXT.fullmatch(text):
        return _value(_only_reference(text), scope)
    return _WITHIN_TEXT.sub(lambda match: str(_value(_only_reference(match[0]), scope)), text)


def _only_reference(text: str) -> Reference:
    try:
        found = parse(text)[0]
    except ValueError as error:
        raise Unresolved(str(error)) from error
    assert isinstance(found, Reference)  # noqa: S101 - the pattern begins with one
    return found


def _template(text: str, scope: Mapping[str, Json]) -> Json:
    """Within inputs, other references stay; what is filled in is text and never read as a reference."""
    try:
        parts = parse(text)
    except ValueError:
        return text  # the compiler refuses it, with its place
    filled = [_value(part, scope) if _at_load(part) else part for part in parts]
    if len(parts) == 1 and _at_load(parts[0]):
        return _escaped(filled[0])
    return unparse(part if isinstance(part, Reference) else str(part) for part in filled)


def _at_load(part: object) -> bool:
    return isinstance(part, Reference) and part.path[0] in LOAD_TIME


def _escaped(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _escaped(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return unparse((value,)) if isinstance(value, str) else value


def _value(reference: Reference | object, scope: Mapping[str, Json]) -> Json:
    assert isinstance(reference, Reference)  # noqa: S101 - callers look before
    name = str(reference.path[-1])
    if reference.path[0] == "env" and _SECRET.search(name):
        raise Unresolved(f"{reference} looks like a secret; name it under 'secrets' in clockwright.yaml instead")
    return look_up(reference, scope)
