"""Finds the tools: name to ToolSpec, and every broken module at once. No tool is imported here."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from daemon.adapters.sandbox import environment, frames
from daemon.adapters.sandbox.recipe import Recipe
from daemon.domain.tool import BrokenTool, Effect, ToolSpec

_log = logging.getLogger(__name__)

_FORMAT = 2
_DESCRIBER = (sys.executable, "-P", "-m", "daemon.adapters.sandbox.describe")

Answer = dict[str, Any]
Describe = Callable[[Sequence[Path], Sequence[Path]], Iterable[Answer]]
"""Describes modules: (extra folders, modules to describe) to one answer a module."""


@dataclass(frozen=True, slots=True)
class Registry:
    """What was found. A name may be in both: the first file works, one that would shadow it is refused."""

    tools: Mapping[str, ToolSpec] = field(default_factory=dict)
    broken: tuple[BrokenTool, ...] = ()


class DescriberError(RuntimeError):
    """The describing process itself failed; the message carries what it said."""


def run_describer(folders: Sequence[Path], modules: Sequence[Path], *, patience: float = 30.0) -> Iterator[Answer]:
    """Describe the modules in a child process with a scrubbed environment; raises DescriberError.

    A module whose import takes longer than `patience` seconds is reported as hung.
    """
    only = chain.from_iterable(("--only", str(module)) for module in modules)
    cache = Recipe().cache
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    ended = subprocess.run(
        [*_DESCRIBER, "--patience", str(patience), *only, *map(str, folders)],
        env=environment.for_zygote(cache, marker="describe"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if ended.returncode != 0:
        raise DescriberError(f"the tools cannot be described: {ended.stderr.decode(errors='replace')[-2000:]}")
    return map(frames.loads, ended.stdout.splitlines())


def discover(
    folders: Sequence[Path] = (),
    cache: Path | None = None,
    *,
    describe: Describe = run_describer,
    recheck_broken: bool = False,
) -> Registry:
    """Every tool that is shipped or lies in the extra folders.

    What `cache` knows of unchanged files is believed, so that an unchanged set starts no process; with
    `recheck_broken` broken modules are tried again all the same. Raises DescriberError.
    """
    extra = [folder.resolve() for folder in folders]
    modules, refused = _modules([*_shipped(), *extra])
    known = _Cache.read(cache)
    stale = [module for module in modules if not known.fresh(module, recheck_broken)]
    if stale:
        began = time.time_ns()
        for answer in describe(extra, stale):
            known.learn(answer, began)
        known.write(cache, modules)
    return _registry([known.answers[str(module)] for module in modules], refused)


def _shipped() -> list[Path]:
    spec = find_spec("atomic_tools")
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []


def _modules(folders: Sequence[Path]) -> tuple[list[Path], list[BrokenTool]]:
    """The tool modules, and the files and folders that cannot be used whatever is in them."""
    first: dict[str, Path] = {}
    refused = [_refuse(folder, "no such folder") for folder in folders if not folder.is_dir()]
    for path in chain.from_iterable(sorted(folder.glob("*.py")) for folder in folders):
        original = first.setdefault(path.name, path)
        if original != path and path.name != "__init__.py":
            refused.append(_refuse(path, f"{original} already has this name; rename one of the two files"))
    return [path for path in first.values() if not path.name.startswith("_")], refused


def _refuse(path: Path, message: str) -> BrokenTool:
    return BrokenTool(path.stem, str(path), None, message)


def _registry(answers: Sequence[Answer], refused: Sequence[BrokenTool]) -> Registry:
    specs = [_spec(answer["spec"]) for answer in answers if "spec" in answer]
    broken = [BrokenTool(**answer["problem"]) for answer in answers if "problem" in answer]
    return Registry({spec.name: spec for spec in specs}, (*broken, *refused))


def _spec(data: Answer) -> ToolSpec:
    typed = {
        "effect": Effect(data["effect"]),
        "timeout": timedelta(seconds=data["timeout"]),
        "secrets": tuple(data["secrets"]),
        "optional_secrets": tuple(data["optional_secrets"]),
        "destination": tuple(data["destination"]),
        "pace": timedelta(seconds=data.get("pace", 0.0)),
    }
    return ToolSpec(**data | typed)


def _stamp(path: str) -> list[int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - a plain string from the cache
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size]


def _world() -> list[object]:
    """What else an answer depends on: the interpreter, and which packages are installed."""
    return [_FORMAT, sys.version, _stamp(sysconfig.get_path("purelib"))]


class _Cache:
    """Answers by module path, each with the stamps of the files that it was made from."""

    def __init__(self, entries: dict[str, Answer]) -> None:
        self.answers = entries

    @classmethod
    def read(cls, file: Path | None) -> _Cache:
        """The cache in `file`; an empty one when there is none, or none that fits."""
        try:
            content = frames.loads(file.read_bytes()) if file else {}
        except (OSError, frames.FrameError):
            content = {}
        fits = isinstance(content, dict) and content.get("world") == _world()
        return cls(content["modules"] if fits else {})

    def fresh(self, module: Path, recheck_broken: bool) -> bool:
        """Nothing that the answer was made from has changed."""
        answer = self.answers.get(str(module))
        if answer is None or (recheck_broken and "problem" in answer):
            return False
        return all(stamp and _stamp(path) == stamp for path, stamp in answer["stamps"].items())

    def learn(self, answer: Answer, began: int) -> None:
        """Keep an answer; a file changed since describing `began` (ns) may not be what was described."""
        path = answer["spec" if "spec" in answer else "problem"]["path"]
        stamps = {name: _stamp(name) for name in answer["inputs"]}
        trusted = {name: stamp if stamp and stamp[0] < began else None for name, stamp in stamps.items()}
        self.answers[path] = answer | {"stamps": trusted}

    def write(self, file: Path | None, modules: Sequence[Path]) -> None:
        """Keep the modules' answers for the next start; without a cache every start describes anew."""
        if file is None:
            return
        kept = {str(module): self.answers[str(module)] for module in modules}
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh.write_bytes(frames.dumps({"world": _world(), "modules": kept}))
            fresh.replace(file)
        except OSError as error:
            _log.warning("the tool cache cannot be written, so every start describes all tools: %s", error)
