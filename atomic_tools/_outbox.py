"""The local outbox: a folder that takes the message of each effect key once, whole or not at all."""

from __future__ import annotations

import errno
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from atomic_tools._contract import CannotTell, DeniedError, MisconfiguredError, NotFound, TransientError
from atomic_tools._delivery import Delivery, Receipt
from atomic_tools._outbox_files import flush_folder, write_message

_KEY = re.compile(r"[A-Za-z0-9][\w.-]{0,119}")
_UNFINISHED = ".unfinished-"
_ABANDONED_AFTER = 3600.0
"""Seconds after which a half-written message of a killed process is swept away."""


@dataclass(frozen=True, slots=True)
class Outbox:
    """A folder with one folder for each delivered message, named by its effect key."""

    root: Path

    def post(self, delivery: Delivery, may_send: Callable[[], None]) -> Receipt:
        """Write beside, flush, then rename into place: a second delivery under the key finds the first."""
        try:
            return self._post(delivery, may_send)
        except PermissionError as error:
            raise DeniedError(f"the outbox {self.root} cannot be written", hint="check its owner and mode") from error
        except (FileExistsError, NotADirectoryError) as error:
            hint = "set `outbox` to a folder of its own"
            raise MisconfiguredError(f"the outbox {self.root} is not a folder", hint=hint) from error
        except OSError as error:
            raise TransientError(f"the outbox {self.root} did not take the message: {error.strerror}") from error

    def _post(self, delivery: Delivery, may_send: Callable[[], None]) -> Receipt:
        self.root.mkdir(parents=True, exist_ok=True)
        self._sweep()
        unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.root))
        try:
            receipt = write_message(unfinished, delivery, self._place(delivery.key))
            may_send()
            return receipt if self._publish(unfinished, delivery.key) else self._adopt(delivery.key)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def reconcile(self, key: str) -> Receipt | NotFound | CannotTell:
        """The receipt under `key`; a message that was not renamed into place was never delivered."""
        try:
            content = (self._place(key) / "receipt.json").read_bytes()
        except FileNotFoundError:
            return CannotTell(f"{key} has no receipt") if self._place(key).exists() else NotFound()
        except OSError as error:
            return CannotTell(f"the outbox cannot be read: {error.strerror}")
        try:
            return Receipt.model_validate_json(content)
        except ValidationError:
            return CannotTell(f"the receipt of {key} cannot be read")

    def _adopt(self, key: str) -> Receipt:
        found = self.reconcile(key)
        if isinstance(found, Receipt):
            return found
        raise MisconfiguredError(
            f"the outbox holds something under {key} that is not a whole message",
            hint=f"look at {self._place(key)} and move it away",
        )

    def _publish(self, unfinished: Path, key: str) -> bool:
        """Rename into place; False when the key is taken, for a folder is never renamed onto a filled one."""
        try:
            unfinished.rename(self._place(key))
        except OSError as error:
            if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
                return False
            raise
        flush_folder(self.root)
        return True

    def _place(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise MisconfiguredError(f"{key!r} cannot name a message in the outbox")
        return self.root / key

    def _sweep(self) -> None:
        """Remove what killed processes left; a folder that goes away meanwhile belongs to a live one."""
        for left in self.root.glob(f"{_UNFINISHED}*"):
            with suppress(FileNotFoundError):
                if time.time() - left.stat().st_mtime > _ABANDONED_AFTER:
                    shutil.rmtree(left, ignore_errors=True)
