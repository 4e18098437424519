"""The host as a device: its memory, and the way from a translation to code that runs."""

from __future__ import annotations

import ctypes
import dataclasses

from ...translator import Translation
from ...translator.options import BuildOptions
from ..driver.interface import DEFAULT_HINTS, DeviceProperties, DriverError, ImageLayout, Linear, StreamHints
from ..process import debug_mode
from . import native
from .compiler import compile_program, identity, target
from .guarded_memory import GuardedMemory
from .image import HostImage
from .module import HostModule
from .properties import host_properties
from .stream import HostStream, libc
from .team import Team

PAGE = 4096
LARGE = 16 * PAGE  # below that, the alignment that OpenCL asks for does

libc.posix_memalign.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.free.restype = None


class HostDevice:
    """The machine, or, with a team of its own, as much of it as a sub-device has."""

    def __init__(self, properties: DeviceProperties | None = None, team: Team | None = None) -> None:
        self.properties = properties or host_properties()
        self._team = team
        self._guarded = GuardedMemory(self.properties.base_address_align)

    def part(self, compute_units: int) -> HostDevice:
        """A device with so many of this one's compute units."""
        return HostDevice(dataclasses.replace(self.properties, compute_units=compute_units), Team(compute_units))

    def allocate(self, size: int) -> int:
        address = self._allocate(size) if size <= self.properties.global_memory else 0
        if not address:
            raise DriverError(f"the host has no {size} bytes of memory left", "MEM_OBJECT_ALLOCATION_FAILURE")
        return address

    def _allocate(self, size: int) -> int:
        """0 where there is no room."""
        if debug_mode.active():
            return self._guarded.allocate(size)
        pointer = ctypes.c_void_p()
        alignment = PAGE if size >= LARGE else self.properties.base_address_align
        libc.posix_memalign(ctypes.byref(pointer), alignment, max(size, 1))
        return pointer.value or 0

    def free(self, address: int) -> None:
        if address in self._guarded:
            self._guarded.free(address)
        else:
            libc.free(address)

    allocate_host = allocate
    free_host = free
    allocate_shared = allocate
    free_shared = free

    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> HostImage:
        return HostImage(self, layout, memory)

    def register_host(self, address: int, size: int) -> bool:
        return False

    def unregister_host(self, address: int) -> None:
        pass

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> HostStream:
        return HostStream(self._team)

    def announce(self, text: str) -> None:
        """Debug mode: what the next launch is. Should it end the process, that and the work-item go to the standard error."""
        native.runtime().ocl_host_announce(text.encode())

    def compiler_identity(self, options: BuildOptions) -> str:
        return identity(options)

    def compile(self, translation: Translation, options: BuildOptions) -> bytes:
        return compile_program(translation, options)

    # The compiler is a process of its own already.
    compiler_spec = None

    def compiler_log(self, binary: bytes) -> str:
        return ""

    @property
    def target(self) -> str:
        return target()

    def load(self, binary: bytes) -> HostModule:
        return HostModule(binary)
