"""Settings, jobs, tools and secrets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...config import Loaded
from ...config.secrets import SecretMissing, SecretSource
from ...domain.checkup import Finding, fail, ok, warn
from ...domain.draft import Toolbox
from ...domain.numbers import counted


def config(loaded: Loaded) -> Iterator[Finding]:
    from ...config.variables import unknown_variables

    for fault in loaded.faults:
        yield fail("config", str(fault), "mend the file; 'clockwright validate' names every fault")
    for warning in (*unknown_variables(os.environ), *loaded.warnings):
        yield warn("config", str(warning), "see 'clockwright validate'")
    if not loaded.faults:
        yield ok("config", f"{counted(len(loaded.jobs), 'job')} from {loaded.settings.folder}")


def tools(toolbox: Toolbox) -> Iterator[Finding]:
    for name, broken in sorted(toolbox.broken.items()):
        yield fail(
            "tools", f"{name}: {broken.message}", f"mend {broken.path}{f':{broken.line}' if broken.line else ''}"
        )
    yield ok("tools", f"{counted(len(toolbox.tools), 'contract')} kept: {', '.join(sorted(toolbox.tools))}")


def secrets(loaded: Loaded) -> Iterator[Finding]:
    """Whether each can be read; never what it is."""
    for name, source in sorted(loaded.settings.secrets.sources.items()):
        try:
            loaded.settings.secrets(name)
        except SecretMissing as missing:
            users = [job.id for job in loaded.jobs if name in job.secrets]
            needed = fail if users else warn
            yield needed("secrets", str(missing), f"used by: {', '.join(users) or 'no job'}")
            continue
        yield _guarded(name, source)


def _guarded(name: str, source: SecretSource) -> Finding:
    if source.kind == "file" and Path(source.where).stat().st_mode & 0o077:
        return warn("secrets", f"others may read {name} in {source.where}", f"chmod 600 {source.where}")
    return ok("secrets", f"{name} is there ({source.kind} {source.where})")
