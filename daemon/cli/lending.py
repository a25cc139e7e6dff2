"""What one demo learns about this installation and the next one need not learn again.

Only in an environment of one's own, beside the installation, so that nothing else on the machine is touched.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

TOOLS = "tools.json"


def shared() -> Path | None:
    """The folder for it; None where this is no environment of one's own, or it cannot be written."""
    folder = Path(sys.prefix) / "share" / "clockwright" / "cache"
    if sys.prefix == sys.base_prefix:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    return None


def borrow(state: Path) -> None:
    """What is known of the tools; it is believed only for files that have not changed."""
    if (place := shared()) and not (state / TOOLS).exists():
        with suppress(OSError):
            state.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.copyfile(place / TOOLS, state / TOOLS)


def lend(state: Path) -> None:
    if (place := shared()) and (state / TOOLS).exists():
        with suppress(OSError):
            fresh = place / f"{TOOLS}.{os.getpid()}"
            shutil.copyfile(state / TOOLS, fresh)
            fresh.rename(place / TOOLS)
