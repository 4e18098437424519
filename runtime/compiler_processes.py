"""Compiler processes: where builds that overlap are done. NVRTC holds one lock for the whole of a process, so threads that
build gain nothing; processes do, and one that crashes takes only its build with it.

They are started when builds first overlap, or are asynchronous, and end when nobody has needed them for a while, with the
application, or by `unload` (clUnloadPlatformCompiler). Environment: CL2CUDA_COMPILER_PROCESSES says how many there may be (else one
for each core, up to 8); 0 keeps every build in the application's process.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from .binary import Binary
from .driver import BuildFailure, DriverError, DriverMissing

MOST = 8
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from cl2cuda.runtime import compiler_process; compiler_process.main()"
# The first byte of a reply.
MADE, REFUSED, FAILED = b"M", b"R", b"F"

_changed = threading.Condition()
_idle: list[CompilerProcess] = []
_started = _building = 0


def limit() -> int:
    text = os.environ.get("CL2CUDA_COMPILER_PROCESSES") or ""
    if text.isdigit():
        return int(text)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST)


def available() -> bool:
    return limit() > 0 and bool(sys.executable)


@contextmanager
def building() -> Iterator[bool]:
    """Around every build; whether other threads are building now."""
    global _building
    with _changed:
        others = _building > 0
        _building += 1
    try:
        yield others
    finally:
        with _changed:
            _building -= 1


def make(recipe: dict[str, Any], driver: str, target: str, spec: str) -> Binary:
    """Follows the recipe in a compiler process. Raises BuildFailure, also when the process dies of it, or DriverError."""
    order = json.dumps({"recipe": recipe, "driver": driver, "target": target, "spec": spec, "folder": os.getcwd()}).encode()
    # All that were idle may have gone to rest, so one more is asked than there can be.
    reply = next((found for _ in range(limit() + 1) if (found := _asked(order)) is not None), None)
    if reply is None:
        raise DriverError("compiler processes end without a reply", "OUT_OF_RESOURCES")
    kind, rest = reply[:1], reply[1:]
    if kind == MADE:
        return Binary.unpack(rest)
    if kind == REFUSED:
        raise BuildFailure(rest.decode())
    failure = json.loads(rest)
    raise DriverMissing(failure["message"]) if failure["missing"] else DriverError(failure["message"], failure["status"])


def _asked(order: bytes) -> bytes | None:
    """The reply; None if the process had gone to rest before it got the order."""
    process = _take()
    try:
        reply = process.ask(order)
    except BaseException:  # an interrupted build's reply must not reach the next
        _give_back(process, alive=False)
        raise
    _give_back(process, alive=reply is not None)
    if reply is None and process.code != 0:
        raise BuildFailure(process.obituary())
    return reply


def _take() -> CompilerProcess:
    global _started
    with _changed:
        while not _idle and _started >= limit():
            _changed.wait()
        if _idle:
            return _idle.pop()
        _started += 1
    try:
        return CompilerProcess()
    except OSError as error:
        with _changed:
            _started -= 1
            _changed.notify()
        raise DriverError(f"no compiler process can be started: {error}", "OUT_OF_HOST_MEMORY") from error


def _give_back(process: CompilerProcess, alive: bool) -> None:
    global _started
    if not alive:
        process.end()
    with _changed:
        if alive:
            _idle.append(process)
        else:
            _started -= 1
        _changed.notify()


@atexit.register
def unload() -> None:
    """Ends the processes that have nothing to do."""
    global _started
    with _changed:
        resting = _idle[:]
        _idle.clear()
        _started -= len(resting)
    for process in resting:
        process.end()


def _forget() -> None:
    """After a fork the processes are the parent's."""
    global _changed, _started, _building
    for process in _idle:
        process.forget()
    _idle.clear()
    _changed, _started, _building = threading.Condition(), 0, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


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
        return self._process.returncode

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


def write_frame(file: IO[bytes], data: bytes) -> None:
    file.write(struct.pack("<Q", len(data)) + data)
    file.flush()


def read_frame(file: IO[bytes]) -> bytes | None:
    """None at the end of the file."""
    head = file.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    data = file.read(length)
    return data if len(data) == length else None
