"""Environment variables that stand over the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..domain.model import Json
from ..domain.nearest import did_you_mean
from .faults import Fault, Place
from .located import Located, locate, merge
from .yaml_source import scalar

PREFIX = "CLOCKWRIGHT_"
OTHER_VARIABLES = frozenset({"CLOCKWRIGHT_CONFIG", "CLOCKWRIGHT_REAL_DATA", "CLOCKWRIGHT_TOKEN", "CLOCKWRIGHT_URL"})
"""Read elsewhere, so not mistaken for a misspelt setting."""
VARIABLES: Mapping[str, tuple[str, ...]] = {
    PREFIX + "_".join(path).upper(): path
    for path in (
        ("state",),
        ("store",),
        ("artifacts",),
        ("outbox",),
        ("environment",),
        ("http", "host"),
        ("http", "port"),
        ("metrics", "host"),
        ("metrics", "port"),
        ("parallel_runs",),
        ("log", "format"),
        ("log", "level"),
    )
}
"""Environment variables that override the file, each with the key it stands for."""


def unknown_variables(environ: Mapping[str, str]) -> Iterator[Fault]:
    """Warnings for variables that look like settings and are none."""
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in VARIABLES and name not in OTHER_VARIABLES:
            yield Fault(f"${name}", 0, 0, "this environment variable means nothing", did_you_mean(name, VARIABLES))


def with_variables(document: Located, environ: Mapping[str, str]) -> Located:
    if document.value is None:
        document = replace(document, value={})
    for name, path in VARIABLES.items():
        if name in environ:
            document = merge(document, locate(_nested(path, scalar(environ[name])), Place(f"${name}")))
    return document


def _nested(path: tuple[str, ...], value: Json) -> Json:
    return {path[0]: _nested(path[1:], value)} if path else value
