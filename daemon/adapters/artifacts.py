"""Artifacts in a local folder, by content digest; and the working folders of calls."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ..domain.model import Json
from ..ports import StoreUnavailable


class LocalArtifacts:
    """`root/ab/abcd...` holds the bytes; `work/CALL` is a call's own folder, gone when the call is examined."""

    def __init__(self, root: Path, work: Path) -> None:
        self._root = root
        self._work = work

    def workdir(self, call_id: str) -> Path:
        folder = self._work / call_id
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(parents=True, mode=0o700)
        except OSError as error:
            raise StoreUnavailable(f"cannot make the working folder {folder}: {error.strerror}") from error
        return folder

    def keep(self, workdir: Path, artifact: Json) -> None:
        source, target = workdir / "out" / artifact["name"], self.path(artifact["sha256"])
        if _touched(target):
            return
        if source.is_symlink() or not source.is_file() or not source.resolve().is_relative_to(workdir.resolve()):
            raise ValueError(f"the output names the artifact {artifact['name']!r}, but the tool left no such file")
        if _digest(source) != artifact["sha256"]:
            raise ValueError(f"the artifact {artifact['name']!r} is not what its digest says")
        self._store(source, target, _flush)

    def give(self, workdir: Path, artifact: Json) -> None:
        source, folder = self.path(artifact["sha256"]), workdir / "in"
        if not _touched(source):
            raise StoreUnavailable(f"the artifact {artifact['name']!r} ({artifact['sha256'][:12]}) is gone")
        folder.mkdir(exist_ok=True)
        shutil.copyfile(source, folder / artifact["sha256"])
        (folder / artifact["sha256"]).chmod(0o400)

    def put(self, content: bytes) -> str:
        return self._put(content, _flush)

    def note(self, content: bytes) -> str:
        return self._put(content, lambda _: None)

    def _put(self, content: bytes, flush: Callable[[Path], None]) -> str:
        digest = hashlib.sha256(content).hexdigest()
        target = self.path(digest)
        if not _touched(target):
            self._work.mkdir(parents=True, exist_ok=True)
            source = self._work / f"put-{digest}-{os.getpid()}"
            source.write_bytes(content)
            self._store(source, target, flush)
        return digest

    def get(self, sha256: str) -> bytes:
        try:
            content = self.path(sha256).read_bytes()
        except OSError as error:
            raise StoreUnavailable(f"cannot read the artifact {sha256[:12]}: {error.strerror}") from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise StoreUnavailable(f"the artifact {sha256[:12]} is damaged")
        return content

    def path(self, sha256: str) -> Path:
        return self._root / sha256[:2] / sha256

    def forget(self, before: datetime) -> int:
        old = (path for path in self._root.glob("??/*") if path.stat().st_mtime < before.timestamp())
        return sum(1 for path in old if _deleted(path))

    def discard(self, workdir: Path) -> None:
        shutil.rmtree(workdir, ignore_errors=True)

    def _store(self, source: Path, target: Path, flush: Callable[[Path], None]) -> None:
        """The file, then the folder that lists it, before anything names it."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            source.chmod(0o600)
            flush(source)
            source.replace(target)
            flush(target.parent)
        except OSError as error:
            raise StoreUnavailable(f"cannot store an artifact in {target.parent}: {error.strerror}") from error


def _touched(path: Path) -> bool:
    """Whether it is there; from now on it counts as new, so that nobody forgets what is in use."""
    try:
        os.utime(path)
    except FileNotFoundError:
        return False
    return True


def _deleted(path: Path) -> bool:
    with suppress(OSError):  # the next look finds it again
        path.unlink()
        return True
    return False


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
