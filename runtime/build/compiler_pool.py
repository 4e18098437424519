"""Compiler processes: where builds of several threads are done. Translation holds Python's lock, so threads that build gain
little; processes do, and one that crashes takes only its build with it.

One build at a time stays in the application's process, until its compiler needs no Python any more. While it runs, others
wait for it or for a compiler process, whichever is first; processes are started in the background once there is someone to
wait for them, and end when nobody has needed them for a while, with the application, or by `unload`
(clUnloadPlatformCompiler). Asynchronous builds always go there.

Environment: CL2CUDA_COMPILER_PROCESSES says how many there may be (else one for each core, up to 8); 0 keeps every build in the
application's process.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ..driver.interface import BuildFailure, DriverError, DriverMissing
from ..process import environment, processors
from .binary import Binary

MOST = 8
START = ("import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
         "from cl2cuda.runtime.build import compiler_process; compiler_process.main()")
READY = b"ready"
# Seconds that the start of a process may take.
PATIENCE = 60.0
# The first byte of a reply.
MADE, REFUSED, FAILED = b"M", b"R", b"F"


def limit() -> int:
    text = environment.text("CL2CUDA_COMPILER_PROCESSES")
    if text.isdigit():
        return int(text)
    # In an application that embeds Python, the executable is the application.
    if not Path(sys.executable or "").stem.lower().startswith(("python", "pypy")):
        return 0
    return min(processors.count(), MOST)


class CompilerProcess:
    """One process: frames of a length and so many bytes go there and back. `code` is its exit status once it has ended."""

    def __init__(self) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        command = [sys.executable, "-c", START, json.dumps(sys.path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said)

    @property
    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None and self._process.stdout is not None
        return self._process.stdin, self._process.stdout

    @property
    def code(self) -> int | None:
        return self._process.poll()

    def is_ready(self) -> bool:
        """Waits until it takes orders; False if it never will."""
        back = self._pipes[1]
        if sys.platform != "win32" and not select.select([back], [], [], PATIENCE)[0]:
            return False
        return read_frame(back) == READY

    def ask(self, order: bytes) -> bytes | None:
        """None if it has ended without a reply."""
        to, back = self._pipes
        try:
            write_frame(to, order)
        except OSError:
            return None
        return read_frame(back)

    def end(self) -> None:
        """It reads the end of its orders and goes; one that is at work is killed."""
        with suppress(OSError):
            self._pipes[0].close()
        try:
            self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._pipes[1].close()

    def forget(self) -> None:
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()
        self._process.returncode = 0

    def obituary(self) -> str:
        code = self.code or 0
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip()
        return (f"error: the compiler process ended {how} while it built this program: the compiler crashed, most likely.\n"
                f"The application goes on. Please report it with the source that shows it.\n{said}").strip()


class Taken:
    """What one build has of the pool: a process, and whether that has been asked and has not replied."""

    def __init__(self) -> None:
        self.process: CompilerProcess | None = None
        self.is_asked = False


class Pool:
    """started      processes that there are, at work or idle
    starting        those that do not take orders yet
    broken          a process could not be started: none is tried any more
    """

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.idle: list[CompilerProcess] = []
        self.started = self.starting = self._waiting = 0
        self.broken = False
        self._building_here: Taken | None = None

    def run(self, here: Callable[[], Binary], order: Callable[[], dict[str, Any]], apart: bool) -> Binary:
        """A build, by calling `here`, or by what `order` says in a compiler process. `apart` prefers the latter."""
        while True:
            taken = Taken()
            try:
                self._take(taken, apart)
                if taken.process is None:
                    return here()
                process, reply = taken.process, self._ask(taken, json.dumps(order()).encode())
            finally:
                self._give_back(taken)
            if reply is not None:
                return _decoded(reply)
            if process.code != 0:
                raise BuildFailure(process.obituary())
            # It had gone to rest before it got the order.

    def _take(self, taken: Taken, apart: bool) -> None:
        """An idle process; or none, when the build may be done in this one."""
        with self.changed:
            self._waiting += 1
            try:
                while True:
                    possible = limit() if not self.broken else 0
                    if self._building_here is None and not (apart and possible):
                        self._building_here = taken
                        return
                    if self.idle:
                        taken.process = self.idle[-1]
                        del self.idle[-1]
                        return
                    if self.started < min(possible, self._busy() + self._waiting):
                        self._begin_start()
                        continue
                    self.changed.wait()
            finally:
                self._waiting -= 1

    def _begin_start(self) -> None:
        """With `changed`. Where there is no room for a thread, there is none for a process either."""
        thread = threading.Thread(target=self._start, name="cl2cuda compiler start", daemon=True)
        self.started += 1
        self.starting += 1
        try:
            thread.start()
        except RuntimeError:
            self._note_start(None)

    def _busy(self) -> int:
        return self.started - self.starting - len(self.idle)

    def _start(self) -> None:
        process, ready = None, False
        try:
            process = CompilerProcess()
            ready = process.is_ready()
        except Exception:  # Whatever it is: builds wait for this, and are made here then.
            ready = False
        if process is not None and not ready:
            process.end()
        with self.changed:
            self._note_start(process if ready else None)

    def _note_start(self, process: CompilerProcess | None) -> None:
        """With `changed`: it is ready, or there is none."""
        self.starting -= 1
        if process is not None:
            self.idle.append(process)
        else:
            self.started -= 1
            self.broken = True
        self.changed.notify_all()

    @staticmethod
    def _ask(taken: Taken, order: bytes) -> bytes | None:
        assert taken.process is not None
        taken.is_asked = True
        reply = taken.process.ask(order)
        taken.is_asked = reply is None
        return reply

    def _give_back(self, taken: Taken) -> None:
        process = taken.process
        if process is not None and taken.is_asked:  # an interrupted build's reply must not reach the next
            process.end()
        with self.changed:
            if self._building_here is taken:
                self._building_here = None
            if process is not None and taken.is_asked:
                self.started -= 1
            elif process is not None:
                self.idle.append(process)
            self.changed.notify_all()

    def unload(self) -> None:
        """Ends the processes that have nothing to do."""
        with self.changed:
            resting = self.idle[:]
            self.idle.clear()
            self.started -= len(resting)
            self.broken = False
        for process in resting:
            process.end()

    def forget(self) -> None:
        """After a fork the processes are the parent's."""
        for process in self.idle:
            process.forget()
        self.__init__()  # type: ignore[misc]


POOL = Pool()
atexit.register(POOL.unload)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.forget)


def _decoded(reply: bytes) -> Binary:
    kind, rest = reply[:1], reply[1:]
    if kind == MADE:
        return Binary.unpack(rest)
    if kind == REFUSED:
        raise BuildFailure(rest.decode())
    failure = json.loads(rest)
    raise DriverMissing(failure["message"]) if failure["missing"] else DriverError(failure["message"], failure["status"])


def write_frame(file: IO[bytes], data: bytes) -> None:
    file.write(struct.pack("<Q", len(data)) + data)
    file.flush()


def read_frame(file: IO[bytes]) -> bytes | None:
    """None at the end of the file."""
    head = _read(file, 8)
    return None if head is None else _read(file, struct.unpack("<Q", head)[0])


def _read(file: IO[bytes], length: int) -> bytes | None:
    """So many bytes; None where the file ends before them. A read from a pipe without a buffer gives what has come so far."""
    parts: list[bytes] = []
    while length:
        part = file.read(length)
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)
