"""The worker's answers to requests: one function each, by the request's name in `operations`."""

from __future__ import annotations

import collections
import hashlib
import json
import threading
from collections.abc import Callable
from typing import Any

from ...translator import Translation
from ...translator.ir.kernel_info import KernelInfo
from ...translator.options import BuildOptions
from ..driver.interface import BuildFailure, DriverError
from . import operations as op
from .facts import from_failure, to_format, to_layout, to_linear
from .held import Held, HeldDevice
from .wire import Channel

# Binaries that need not be sent again.
MOST_BINARIES = 64


class Binaries:
    """The programs that clients have loaded or built here, by digest; what was used longest ago goes first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[bytes, bytes] = collections.OrderedDict()

    def add(self, binary: bytes) -> None:
        with self._lock:
            self._known[hashlib.sha256(binary).digest()] = binary
            while len(self._known) > MOST_BINARIES:
                self._known.popitem(last=False)

    def find(self, digest: bytes) -> bytes | None:
        with self._lock:
            if digest in self._known:
                self._known.move_to_end(digest)
            return self._known.get(digest)


BINARIES = Binaries()

Answer = tuple[Any, bytes]


def serve(held: Held, channel: Channel) -> None:
    """Answers until the client ends the connection."""
    while True:
        (request, number, *arguments), size = channel.receive()
        payload = channel.receive_bytes(size) if size else b""
        failure, reply, data = None, None, b""
        try:
            reply, data = ANSWERS[request](held, held.devices[number], payload, *arguments)
        except (DriverError, BuildFailure) as error:
            failure = from_failure(error)
        except (LookupError, TypeError, ValueError, MemoryError) as error:
            failure = from_failure(DriverError(f"the worker cannot do {request!r}: {type(error).__name__}: {error}"))
        if request not in op.WITHOUT_REPLY:
            channel.send([failure, reply], (memoryview(data),) if data else ())


def _allocate(held: Held, device: HeldDevice, payload: bytes, size: int) -> Answer:
    return device.allocate(size), b""


def _free(held: Held, device: HeldDevice, payload: bytes, addresses: list[int]) -> Answer:
    device.free(addresses)
    return None, b""


def _compile(held: Held, device: HeldDevice, payload: bytes, options: dict[str, Any]) -> Answer:
    binary = device.driver.compile(Translation.from_json(json.loads(payload)), BuildOptions.from_json(options))
    BINARIES.add(binary)
    return None, binary


def _identity(held: Held, device: HeldDevice, payload: bytes, options: dict[str, Any]) -> Answer:
    return device.driver.compiler_identity(BuildOptions.from_json(options)), b""


def _log(held: Held, device: HeldDevice, payload: bytes) -> Answer:
    return device.driver.compiler_log(payload), b""


def _load(held: Held, device: HeldDevice, payload: bytes, digest: bytes) -> Answer:
    if payload:
        BINARIES.add(payload)
    binary = payload or BINARIES.find(digest)
    if binary is None:
        return None, b""
    number = held.new_number()
    held.modules[number] = device, device.driver.load(binary)
    return number, b""


def _function(held: Held, device: HeldDevice, payload: bytes, module: int, kernel: dict[str, Any]) -> Answer:
    function = held.modules[module][1].function(KernelInfo.from_json(kernel))
    number = held.new_number()
    held.functions[number] = function
    return (number, function.max_work_group_size, function.local_size, function.private_size, function.registers,
            function.spills, function.rounds, function.max_global_size), b""


def _unload(held: Held, device: HeldDevice, payload: bytes, module: int) -> Answer:
    held.modules.pop(module)[1].unload()
    return None, b""


def _image(held: Held, device: HeldDevice, payload: bytes, layout: list[Any], memory: list[int] | None) -> Answer:
    image = device.driver.create_image(to_layout(layout), to_linear(memory))
    number = held.new_number()
    held.images[number] = image
    return (number, [image.linear(level) for level in range(image.layout.levels)]), b""


def _argument(held: Held, device: HeldDevice, payload: bytes, image: int, format: list[str], sampled: bool) -> Answer:
    return held.images[image].argument(to_format(format), sampled), b""


def _close_image(held: Held, device: HeldDevice, payload: bytes, image: int) -> Answer:
    held.images.pop(image).close()
    return None, b""


def _open_gate(held: Held, device: HeldDevice, payload: bytes, gate: int, failure: str | None) -> Answer:
    held.open_gate(gate, failure)
    return None, b""


ANSWERS: dict[str, Callable[..., Answer]] = {
    op.ALLOCATE: _allocate, op.FREE: _free, op.COMPILE: _compile, op.IDENTITY: _identity, op.LOG: _log, op.LOAD: _load,
    op.FUNCTION: _function, op.UNLOAD: _unload, op.IMAGE: _image, op.ARGUMENT: _argument, op.CLOSE_IMAGE: _close_image,
    op.OPEN_GATE: _open_gate,
}
