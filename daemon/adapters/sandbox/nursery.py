"""Keeps one living zygote generation, and lets older ones finish what they carry."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from daemon.adapters.sandbox import linux
from daemon.adapters.sandbox.generation import Generation
from daemon.adapters.sandbox.handle import WorkerHandle
from daemon.adapters.sandbox.loop import Loop
from daemon.adapters.sandbox.recipe import Recipe

_log = logging.getLogger(__name__)

_PATIENCE = 30.0
"""Seconds of silence after which a zygote that owes something is taken for hung."""
_LEAVE_WITHIN = 1.0
_DIED_UNASKED = 0.2
"""Seconds before a waiting worker that died is replaced: what kills them must not have us fork for ever."""
_BACK_OFF = (0.1, 10.0)

OnExit = Callable[[WorkerHandle, int | None], None]


class Nursery:
    """Where workers come from: `on_spare` hears of a waiting one, `on_exit` of a dead one and its status."""

    def __init__(self, loop: Loop, recipe: Recipe, on_spare: Callable[[], None], on_exit: OnExit) -> None:
        self._loop = loop
        self._recipe = recipe
        self._on_spare = on_spare
        self._on_exit = on_exit
        self._current: Generation | None = None
        self._alive: list[Generation] = []
        self._without: frozenset[str] = frozenset()
        self._failures = 0
        self._closing = False
        self.trouble = ""

    @property
    def empty(self) -> bool:
        """No zygote is left."""
        return not self._alive

    @property
    def waiting(self) -> int:
        """How many workers wait for a call."""
        return len(self._current.spares) if self._current else 0

    def begin(self) -> None:
        """Start a generation; when that fails, again later and later."""
        try:
            generation = Generation(self._recipe, self._without)
        except OSError as error:
            self._try_again(f"the tool sandbox cannot start: {error}")
            return
        self._current = generation
        self._alive.append(generation)
        self._loop.watch(generation.control.fileno(), partial(self._hear, generation))
        self._loop.watch(generation.errors.descriptor, partial(self._hear_errors, generation))
        self._be_patient(generation)

    def renew(self, recipe: Recipe | None) -> None:
        """From now on only workers of a new generation are handed out."""
        if self._closing:
            return
        self._recipe = recipe or self._recipe
        self._without = frozenset()
        self._loop.alarms.cancel(self)
        self._retire_current()
        self.begin()

    def end(self) -> None:
        """Start nothing any more, and have every zygote leave."""
        self._closing = True
        self._current = None
        self._loop.alarms.cancel(self)
        for generation in self._alive:
            self._dismiss(generation)

    def take(self) -> WorkerHandle | None:
        """A waiting worker, now the caller's."""
        return self._current.spares.popleft() if self._current and self._current.spares else None

    def want(self, queued: int) -> None:
        """Have enough workers for the queued calls and the spares besides."""
        if self._current is not None:
            self._current.want(self._recipe.spares + queued)
            self._be_patient(self._current)

    def _retire_current(self) -> None:
        generation, self._current = self._current, None
        if generation is None:
            return
        generation.retired = True
        while generation.spares:
            generation.spares.pop().signal()
        self._dismiss_if_idle(generation)

    def _dismiss_if_idle(self, generation: Generation) -> None:
        if generation.retired and not generation.workers and generation in self._alive:
            self._dismiss(generation)

    def _dismiss(self, generation: Generation) -> None:
        generation.retired = True
        generation.dismiss()
        self._loop.alarms.set(generation, linux.now() + _LEAVE_WITHIN, generation.kill)

    def _be_patient(self, generation: Generation) -> None:
        if generation.retired:
            return
        if generation.owed or not generation.ready:
            self._loop.alarms.set(generation, linux.now() + _PATIENCE, generation.kill)
        else:
            self._loop.alarms.cancel(generation)

    def _hear(self, generation: Generation) -> None:
        try:
            while received := generation.receive():
                self._on_message(generation, *received)
                self._be_patient(generation)
        except BlockingIOError:
            return
        self._lose(generation)

    def _hear_errors(self, generation: Generation) -> None:
        if not generation.errors.drain():
            self._loop.unwatch(generation.errors.descriptor)

    def _on_message(self, generation: Generation, message: dict[str, Any], descriptors: list[int]) -> None:
        match message:
            case {"loading": name}:
                generation.loading = name
            case {"broken": name, "message": reason}:
                _log.warning("%s could not be loaded before its first call: %s", name, reason)
            case {"ready": _}:
                generation.ready, generation.loading, self._failures = True, None, 0
                self._on_spare()
            case {"refused": reason}:
                self._refused(generation, reason)
            case {"worker": pid}:
                self._adopt(generation, pid, descriptors)
            case {"exit": pid, "status": status}:
                self._bury(generation, pid, status)

    def _adopt(self, generation: Generation, pid: int, descriptors: list[int]) -> None:
        worker = generation.adopt(pid, descriptors)
        if generation.retired:
            generation.spares.clear()
            worker.signal()
        else:
            self._on_spare()

    def _refused(self, generation: Generation, reason: str) -> None:
        generation.owed -= 1
        self.trouble = f"no process to be had: {reason}"
        _log.warning("the tool sandbox cannot fork a worker now: %s", reason)
        self._loop.alarms.set("spare", linux.now() + 0.5, self._on_spare)

    def _bury(self, generation: Generation, pid: int, status: int | None) -> None:
        worker = generation.workers.pop(pid)
        unasked = worker in generation.spares
        if unasked:
            generation.spares.remove(worker)
            self._died_unasked(worker)
        self._on_exit(worker, status)
        self._loop.alarms.cancel(worker)
        worker.close()
        self._dismiss_if_idle(generation)
        self._loop.alarms.set("spare", linux.now() + (_DIED_UNASKED if unasked else 0.0), self._on_spare)

    def _died_unasked(self, worker: WorkerHandle) -> None:
        worker.tail.drain()
        said = worker.tail.bytes().decode("utf-8", "replace").strip()[-500:]
        self.trouble = f"a waiting worker died: {said}" if said else "a waiting worker died"
        _log.warning("%s", self.trouble)

    def _lose(self, generation: Generation) -> None:
        """The zygote has ended, as it should or not."""
        for descriptor in (generation.control.fileno(), generation.errors.descriptor):
            self._loop.unwatch(descriptor)
        self._loop.alarms.cancel(generation)
        generation.spares.clear()
        generation.bury()
        self._alive.remove(generation)
        if generation is self._current:
            self._current = None
            self._blame(generation)
        for pid in list(generation.workers):
            self._bury(generation, pid, None)

    def _blame(self, generation: Generation) -> None:
        said = generation.errors.bytes().decode("utf-8", "replace").strip()[-500:]
        if generation.loading is not None:
            _log.error("loading %s ended or hung the tool sandbox; it is left to its calls", generation.loading)
            self._without |= {generation.loading}
        self._try_again(f"the tool sandbox ended: {said or 'it was killed'}")

    def _try_again(self, trouble: str) -> None:
        if trouble != self.trouble:
            _log.error("%s", trouble)
        self.trouble = trouble
        first, most = _BACK_OFF
        wait = min(most, first * 2**self._failures)
        self._failures += 1
        if not self._closing:
            self._loop.alarms.set(self, linux.now() + wait, self.begin)
