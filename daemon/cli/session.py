"""What every command starts from: where the configuration is, and what was asked for on top of it."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .remote import Remote
from .trouble import Misuse, Refused, Unavailable

if TYPE_CHECKING:
    from ..app import Daemon
    from ..config import Loaded, Settings
    from ..domain.draft import Toolbox
    from ..ports import EventSink

FILE = "clockwright.yaml"
READING = "jobs list, runs list, runs show, escalations list"


@dataclass(frozen=True, slots=True)
class Session:
    """`folder` holds clockwright.yaml; `environment` is the overlay that was asked for, if one was."""

    folder: Path
    environment: str | None = None
    remote: Remote | None = None
    """The daemon that the reading commands ask instead."""

    def settings(self) -> Settings:
        """Without reading the jobs. Raises ConfigError, Refused."""
        from ..config import read_settings

        self._expect_config()
        return read_settings(self.folder, self.environment)

    def config(self) -> Loaded:
        """Settings, tools and jobs. Raises ConfigError, Refused, Unavailable."""
        from ..app import read_config

        self._expect_config()
        _quiet()
        try:
            return read_config(self.folder, self.environment)
        except (OSError, RuntimeError) as error:
            raise Unavailable(f"the tools cannot be looked at: {error}") from error

    def toolbox(self) -> Toolbox:
        """Every tool, without reading the jobs."""
        from ..app import read_toolbox

        _quiet()
        try:
            return read_toolbox(self.settings())
        except (OSError, RuntimeError) as error:
            raise Unavailable(f"the tools cannot be looked at: {error}") from error

    def observer(self) -> Daemon:
        """A daemon without jobs: its store can be read and its people's inbox written."""
        from ..app import wire
        from ..config import Loaded

        return wire(Loaded(self.settings(), (), ()))

    def daemon(self, config: Loaded, sinks: Sequence[EventSink] = ()) -> Daemon:
        from ..app import wire

        return wire(config, sinks)

    def _expect_config(self) -> None:
        if self.remote:
            raise Misuse("this command does its work on the daemon's own machine", f"--url goes with: {READING}")
        if not (self.folder / FILE).exists():
            raise Refused(
                f"there is no {FILE} in {self.folder}; make a configuration with 'clockwright init', "
                "or name its folder with --config"
            )


def _quiet() -> None:
    """A command says what is wrong itself; only the daemon keeps a log."""
    logging.getLogger("daemon").addHandler(logging.NullHandler())


def default_folder() -> Path:
    """./config where it holds a configuration, else the user's own, else the machine's."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "clockwright"
    here = Path("config")
    found = [folder for folder in (here, home) if (folder / FILE).exists()]
    return found[0] if found else Path("/etc/clockwright")
