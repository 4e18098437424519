"""A device of a worker, as the client's driver device. Whatever needs an answer is a request; the rest goes by its streams."""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from ...translator import Translation
from ...translator.options import BuildOptions
from ..driver.image_layout import ImageLayout
from ..driver.interface import DEFAULT_HINTS, DriverError, Linear, StreamHints
from . import operations as op
from .facts import to_properties
from .image import RemoteImage
from .module import RemoteModule
from .peer_copies import RemotePeerCopies
from .session import Session
from .stream import RemoteStream

PAGE = 4096


class RemoteDevice:
    """`number` is the device's among those of the worker. Its target is the code that it runs, and the driver that loads it."""

    # What needs the device's own process: parts of it, graphs, others' streams and memory, and what it writes at its end.
    partition = record = borrow_stream = keeping_current = import_memory = import_semaphore = graphics = cuda_code = announce = None
    native_images = None
    # The worker's device is made ready by its first use.
    make_ready = None
    peer_copies = RemotePeerCopies()
    # The worker compiles in a process of its own.
    compiler_spec = None
    begin_compiling = None
    # What the worker's driver does it does not tell.
    rounds_sizes = False

    def __init__(self, session: Session, number: int, facts: dict[str, Any]):
        self.session = session
        self.number = number
        self.target: str = facts["target"]
        self.properties = to_properties(facts["properties"], session.member.host)
        self._identities: dict[BuildOptions, str] = {}
        self._host_memory: dict[int, Any] = {}

    @property
    def lost(self) -> bool:
        return self.session.lost is not None

    @property
    def peer(self) -> tuple[Any, ...]:
        return tuple(self.session.member.place), self.session.number, self.number

    def _call(self, request: str, *arguments: Any) -> Any:
        return self.session.call(self.number, request, *arguments)[0]

    # Memory

    def allocate(self, size: int) -> int:
        address: int = self._call(op.ALLOCATE, size)
        return address

    def free(self, address: int) -> None:
        self.session.tell(self.number, op.FREE, [address])

    def allocate_host(self, size: int) -> int:
        try:
            memory = np.empty(size + PAGE, np.uint8)
        except MemoryError as error:
            raise DriverError(f"the host has no {size} bytes of memory left", "OUT_OF_HOST_MEMORY") from error
        address: int = memory.ctypes.data + -memory.ctypes.data % PAGE
        self._host_memory[address] = memory
        return address

    def free_host(self, address: int) -> None:
        del self._host_memory[address]

    def allocate_shared(self, size: int) -> int:
        raise DriverError("a remote device shares no memory with the host", "INVALID_OPERATION")

    def free_shared(self, address: int) -> None:
        raise DriverError("a remote device shares no memory with the host", "INVALID_OPERATION")

    def register_host(self, address: int, size: int) -> bool:
        return False

    def unregister_host(self, address: int) -> None:
        pass

    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> RemoteImage:
        return RemoteImage(self.session, self.number, layout, memory)

    # Streams and programs

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> RemoteStream:
        return RemoteStream(self.session, self.number, hints)

    def compiler_identity(self, options: BuildOptions) -> str:
        known = self._identities.get(options)
        if known is None:
            known = self._identities[options] = self._call(op.IDENTITY, options.to_json())
        return known

    def compile(self, translation: Translation, options: BuildOptions) -> bytes:
        data = json.dumps(translation.to_json()).encode()
        _, binary = self.session.call(self.number, op.COMPILE, options.to_json(), payload=(memoryview(data),))
        return binary

    def compiler_start(self) -> AbstractContextManager[object]:
        return nullcontext()

    def compiler_log(self, binary: bytes) -> str:
        log: str = self.session.call(self.number, op.LOG, payload=(memoryview(binary),))[0]
        return log

    def load(self, binary: bytes) -> RemoteModule:
        digest = hashlib.sha256(binary).digest()
        number = self._call(op.LOAD, digest)
        if number is None:
            number = self.session.call(self.number, op.LOAD, digest, payload=(memoryview(binary),))[0]
        return RemoteModule(self.session, self.number, number)
