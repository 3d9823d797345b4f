"""Readers: processes that predict, so that predictions take more than one core."""

import asyncio
import contextlib
import multiprocessing
import socket
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from types import TracebackType

from novikoff.serve.settings import ServiceSettings

CHECK_SECONDS, PATIENCE_SECONDS = 1.0, 15.0


class Readers:
    """Processes that share a listening socket; one that ends is started again."""

    def __init__(
        self,
        settings: ServiceSettings,
        listener: socket.socket,
        run: Callable[[ServiceSettings, socket.socket], None],
    ) -> None:
        self.settings, self.listener, self.run = settings, listener, run
        self.processes: list[BaseProcess] = []

    async def tend(self) -> None:
        """Start those that are not there, for ever."""
        while True:
            self.processes = [each for each in self.processes if each.is_alive()]
            while len(self.processes) < self.settings.readers:
                self.processes.append(await asyncio.to_thread(self._start))
            await asyncio.sleep(CHECK_SECONDS)

    def _start(self) -> BaseProcess:
        context = multiprocessing.get_context("spawn")  # a fork would share the journal's handle
        process = context.Process(target=self.run, args=(self.settings, self.listener), daemon=True)
        process.start()
        return process

    def __enter__(self) -> "Readers":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for each in self.processes:
            each.terminate()
        for each in self.processes:
            each.join(PATIENCE_SECONDS)
            with contextlib.suppress(OSError):
                each.kill()
