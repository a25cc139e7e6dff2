"""Artifacts in memory."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from daemon.domain.model import Json
from daemon.ports import StoreUnavailable


class MemoryArtifacts:
    """`daemon.ports.Artifacts`. No folder is ever made; `write` stands for a tool that leaves a file."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.given: list[tuple[Path, str]] = []
        self.discarded: list[Path] = []
        self._made: dict[tuple[Path, str], bytes] = {}

    def write(self, workdir: Path, name: str, content: bytes, media_type: str = "text/plain") -> Json:
        """A file in the call's folder, and the reference that the tool's output would hold."""
        self._made[workdir, name] = content
        sha256 = hashlib.sha256(content).hexdigest()
        return {"name": name, "sha256": sha256, "size": len(content), "media_type": media_type}

    def workdir(self, call_id: str) -> Path:
        return Path("/memory", call_id)

    def keep(self, workdir: Path, artifact: Json) -> None:
        name, sha256 = artifact["name"], artifact["sha256"]
        if sha256 in self.kept:
            return
        content = self._made.get((workdir, name))
        if content is None:
            raise ValueError(f"the output names the artifact {name!r}, but the tool left no such file")
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ValueError(f"the artifact {name!r} is not what its digest says")
        self.kept[sha256] = content

    def give(self, workdir: Path, artifact: Json) -> None:
        self.get(artifact["sha256"])
        self.given.append((workdir, artifact["sha256"]))

    def put(self, content: bytes) -> str:
        sha256 = hashlib.sha256(content).hexdigest()
        self.kept[sha256] = content
        return sha256

    def note(self, content: bytes) -> str:
        return self.put(content)

    def forget(self, before: datetime) -> int:  # noqa: ARG002 - nothing here grows old
        return 0

    def get(self, sha256: str) -> bytes:
        if sha256 not in self.kept:
            raise StoreUnavailable(f"the artifact {sha256[:12]} is gone")
        return self.kept[sha256]

    def path(self, sha256: str) -> Path:
        return Path("/memory/kept", sha256)

    def discard(self, workdir: Path) -> None:
        self.discarded.append(workdir)
