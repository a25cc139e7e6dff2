"""Where secrets lie. Their values are read when they are needed and are never kept, shown or logged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..domain.errors import ClockwrightError

_BYTES = 64 * 1024


class SecretMissing(ClockwrightError):
    """A configured secret is not where the configuration says. The message never holds a value."""


@dataclass(frozen=True, slots=True)
class SecretSource:
    """`kind` is env, file or credential (a systemd credential); `where` its variable, path or name.

    A `plain` one is its own value and no secret: something that tools are lent in the same way.
    """

    kind: str
    where: str


@dataclass(frozen=True, slots=True)
class Secrets:
    """Names and places of the configured secrets. Called with a name it reads the value."""

    sources: Mapping[str, SecretSource]
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.sources)

    def __call__(self, name: str) -> str:
        """The value as it is now, so that a rotated secret takes effect. Raises SecretMissing."""
        source = self.sources.get(name)
        if source is None:
            raise SecretMissing(f"no secret {name!r} is configured")
        value = self._value(name, source)
        if not value:
            raise SecretMissing(f"the secret {name!r} is empty ({source.kind} {source.where})")
        return value

    def values(self) -> list[str]:
        """Every value that can be read now, for hiding them."""
        found = []
        for name in (name for name, source in self.sources.items() if source.kind != "plain"):
            with suppress(SecretMissing):
                found.append(self(name))
        return found

    def _value(self, name: str, source: SecretSource) -> str:
        if source.kind == "plain":
            return source.where
        return self._variable(name, source.where) if source.kind == "env" else self._file(name, source)

    def _variable(self, name: str, variable: str) -> str:
        if variable not in self.environ:
            raise SecretMissing(f"the secret {name!r} is not there: set the environment variable {variable}")
        return self.environ[variable]

    def _file(self, name: str, source: SecretSource) -> str:
        try:
            with self._path(name, source).open("rb") as stream:
                return stream.read(_BYTES).decode().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise SecretMissing(f"the secret {name!r} cannot be read from {source.where}: {reason}") from None

    def _path(self, name: str, source: SecretSource) -> Path:
        if source.kind == "file":
            return Path(source.where)
        folder = self.environ.get("CREDENTIALS_DIRECTORY")
        if folder is None:
            raise SecretMissing(f"the secret {name!r} is a systemd credential, and systemd passed none")
        return Path(folder) / source.where
