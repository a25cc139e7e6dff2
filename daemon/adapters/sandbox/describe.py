"""The describing process: imports every tool once and says what each is, one JSON line a module.

Run as `python -m daemon.adapters.sandbox.describe [--patience SECONDS] [--only PATH]... FOLDER...`. The
modules are imported in a child; when one hangs or ends it, the culprit is reported and a new child goes on.
"""

from __future__ import annotations

import argparse
import os
import select
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from atomic_tools._contract import Tool
from daemon.adapters.sandbox import digest, frames, linux, toolbox

PATIENCE = 30.0
"""Seconds that the import of one module may take; heavy libraries take some on a cold disk."""


def describe(paths: Sequence[Path], patience: float) -> Iterator[dict[str, Any]]:
    """A spec or a problem for every module, in order, whatever the modules do."""
    waiting = list(paths)
    while waiting:
        with _Child(waiting) as child:
            for path in list(waiting):
                answer = child.answer(patience)
                waiting.remove(path)
                yield answer or problem(path, None, child.fate)
                if answer is None:
                    break


class _Child:
    """A fork that imports modules one after the other and writes a line for each."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._reader, writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _import_all(paths, writer)
        os.close(writer)
        self._buffer = b""
        self.fate = ""

    def answer(self, patience: float) -> dict[str, Any] | None:
        """The next line; None when the module at hand hangs or has ended the process."""
        give_up = linux.now() + patience
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._reader], [], [], max(0.0, give_up - linux.now()))
            data = os.read(self._reader, 1 << 16) if ready else b""
            if not data:
                self.fate = "its import ended the process" if ready else f"its import hung for {patience:g} s"
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer: dict[str, Any] = frames.loads(line)
        return answer

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *_: object) -> None:
        linux.kill_children()
        os.close(self._reader)


def _import_all(paths: Sequence[Path], writer: int) -> NoReturn:
    try:
        os.setsid()
        linux.die_with_parent(os.getppid())
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        for path in paths:
            os.write(writer, frames.dumps(describe_one(path)) + b"\n")
    finally:
        os._exit(0)


def describe_one(path: Path) -> dict[str, Any]:
    """Import one module and say what it is, or what is wrong with it and where."""
    try:
        code = digest.code_of(path, toolbox.folders())
        answer = {"spec": _spec(path, digest.digest_of(code)), "inputs": sorted(code)}
        frames.dumps(answer)
    except SyntaxError as error:
        at_home = error.filename in (None, "<unknown>", str(path))
        return problem(path, error.lineno if at_home else None, f"SyntaxError: {error.msg}")
    except BaseException as error:  # noqa: BLE001 - a module may raise anything, sys.exit too; it is reported
        return problem(path, _line(error, path), f"{type(error).__name__}: {error}")
    return answer


def problem(path: Path, line: int | None, message: str) -> dict[str, Any]:
    """The report of a module that is no tool; any shared module may be what broke it."""
    shared = [file for folder in toolbox.folders() for file in folder.glob("_*.py")]
    fault = {"name": path.stem, "path": str(path), "line": line, "message": message[:2000]}
    return {"problem": fault, "inputs": sorted(map(str, [path, *shared]))}


def _spec(path: Path, code: str) -> dict[str, Any]:
    before = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - a count of names is enough
    tool = toolbox.load(path.stem)
    if len(os.listdir("/proc/self/task")) > before:  # noqa: PTH208
        raise RuntimeError("its import starts a thread, and threads do not survive the fork of a worker")
    return {
        "name": tool.name,
        "description": tool.description,
        "effect": tool.effect.value,
        "timeout": tool.timeout.total_seconds(),
        "version": tool.version,
        "secrets": list(tool.secrets),
        "optional_secrets": list(tool.optional_secrets),
        "destination": list(tool.destination),
        "pace": tool.pace.total_seconds(),
        "reconcile": tool.reconcile is not None,
        "input_schema": tool.input_type.model_json_schema(mode="validation"),
        "output_schema": tool.output_type.model_json_schema(mode="serialization"),
        "digest": code,
        "path": str(path),
    }


def _line(error: BaseException, path: Path) -> int | None:
    """The last line of the module that the error came through, else the line of the tool in it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    if lines:
        return lines[-1]
    module = sys.modules.get(f"atomic_tools.{path.stem}")
    tools = [value for value in vars(module).values() if isinstance(value, Tool)] if module else []
    return tools[0].function.__code__.co_firstlineno if tools else None


def main(arguments: Sequence[str]) -> None:
    """Describe the modules of all folders, or those of them that `--only` names."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--patience", type=float, default=PATIENCE)
    parser.add_argument("--only", type=Path, action="append", default=[])
    parser.add_argument("folders", type=Path, nargs="*")
    options = parser.parse_args(arguments)
    linux.adopt_orphans()
    toolbox.open_folders(options.folders)
    paths = options.only or [path for folder in toolbox.folders() for path in toolbox.sources(folder)]
    for answer in describe(paths, options.patience):
        print(frames.dumps(answer).decode(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
