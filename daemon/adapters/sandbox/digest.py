"""What a tool's code is, as one digest: its module and every shared `_name.py` that it reaches."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

_PACKAGE = "atomic_tools"


def code_of(path: Path, folders: Sequence[Path]) -> dict[str, bytes]:
    """The sources that make up the tool at `path`: file to content, shared modules looked up in `folders`.

    Follows imports through the text alone; raises SyntaxError for a file that is not Python.
    """
    found: dict[str, bytes] = {}
    waiting = [path]
    while waiting:
        source = waiting.pop()
        if str(source) in found:
            continue
        found[str(source)] = content = source.read_bytes()
        waiting += [file for name in _shared(ast.parse(content)) if (file := _locate(name, folders))]
    return found


def digest_of(code: dict[str, bytes]) -> str:
    """One SHA-256 over the file names and contents; the folder does not count."""
    total = hashlib.sha256()
    for name, content in sorted((Path(path).name, content) for path, content in code.items()):
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def of_tool(name: str, folders: Sequence[Path]) -> str:
    """The digest of the tool with that name; raises FileNotFoundError, SyntaxError."""
    path = _locate(name, folders)
    if path is None:
        raise FileNotFoundError(f"no {name}.py in {', '.join(map(str, folders))}")
    return digest_of(code_of(path, folders))


def _locate(name: str, folders: Sequence[Path]) -> Path | None:
    return next((file for folder in folders if (file := folder / f"{name}.py").is_file()), None)


def _shared(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        for module in _modules(node):
            yield module.partition(".")[0] or "__init__"


def _modules(node: ast.AST) -> Iterator[str]:
    """The imported modules of the package, relative to it; '' is the package itself."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        yield from (name[len(_PACKAGE) + 1 :] for name in names if f"{name}.".startswith(f"{_PACKAGE}."))
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level == 0 and f"{base}.".startswith(f"{_PACKAGE}."):
            base = base[len(_PACKAGE) + 1 :]
        elif node.level != 1:
            return
        yield base
        if not base:
            yield from (alias.name for alias in node.names if alias.name.startswith("_"))
