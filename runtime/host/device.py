"""The host as a device: its memory, and the way from a translation to code that runs."""

from __future__ import annotations

import ctypes
import dataclasses
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from ...translator import Translation
from ...translator.options import BuildOptions
from ..driver.block_size import rounded
from ..driver.image_layout import ImageLayout
from ..driver.interface import DEFAULT_HINTS, DriverError, Linear, StreamHints
from ..driver.properties import DeviceProperties
from ..driver.unfinished_code import UnfinishedCode
from ..opengl import library as opengl
from ..process import debug_mode
from . import native
from .compiler import begin_program, identity, target
from .guarded_memory import GuardedMemory
from .image import HostImage
from .module import HostModule
from .peer import HostPeerCopies
from .properties import host_properties
from .spare_memory import SpareMemory
from .stream import HostStream, libc
from .thread_pool import ThreadPool

if TYPE_CHECKING:
    from .graphics import HostGraphics

PAGE = 4096
LARGE = 16 * PAGE  # below that, the alignment that OpenCL asks for does

libc.posix_memalign.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.free.restype = None


def aligned(size: int, alignment: int) -> int:
    """The address of so many bytes; 0 where there is no room. What is left of the last unit is the buffer's, too, as on GPUs: kernels that
    store their last vector whole rely on it, and would else destroy the C library's lists of memory."""
    pointer = ctypes.c_void_p()
    libc.posix_memalign(ctypes.byref(pointer), alignment, -(-max(size, 1) // alignment) * alignment)
    return pointer.value or 0


SPARE = SpareMemory(lambda size: aligned(size, PAGE), libc.free)


class HostDevice:
    """The machine, or, with a pool of its own, as much of it as a sub-device has."""

    def __init__(self, properties: DeviceProperties | None = None, pool: ThreadPool | None = None) -> None:
        self.properties = properties or host_properties()
        self._pool = pool
        self._guarded = GuardedMemory(self.properties.base_address_align)

    def partition(self, compute_units: int) -> HostDevice:
        """A device of its own with so many of this one's compute units."""
        return HostDevice(dataclasses.replace(self.properties, compute_units=compute_units), ThreadPool(compute_units))

    def allocate(self, size: int) -> int:
        address = self._allocate(size) if size <= self.properties.global_memory else 0
        if not address:
            raise DriverError(f"the host has no {size} bytes of memory left", "MEM_OBJECT_ALLOCATION_FAILURE")
        return address

    def _allocate(self, size: int) -> int:
        """0 where there is no room."""
        if debug_mode.active():
            return self._guarded.allocate(size)
        size = rounded(size)
        return SPARE.take(size) if size >= LARGE else aligned(size, self.properties.base_address_align)

    def free(self, address: int) -> None:
        if address in self._guarded:
            self._guarded.free(address)
        elif not SPARE.give(address):
            libc.free(address)

    allocate_host = allocate
    free_host = free
    allocate_shared = allocate
    free_shared = free

    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> HostImage:
        return HostImage(self, layout, memory)

    @cached_property
    def graphics(self) -> HostGraphics | None:
        from .graphics import HostGraphics  # which only contexts need that share with OpenGL

        return HostGraphics(self) if opengl.available() else None

    def register_host(self, address: int, size: int) -> bool:
        return False

    def unregister_host(self, address: int) -> None:
        pass

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> HostStream:
        return HostStream(self._pool)

    def announce(self, text: str) -> None:
        """Debug mode: what the next launch is. Should it end the process, that and the work-item go to the
        standard error."""
        native.runtime().ocl_host_announce(text.encode())

    def compiler_identity(self, options: BuildOptions) -> str:
        return identity(options) + " fibers" * (not self.properties.item_loops)

    def compile(self, translation: Translation, options: BuildOptions) -> bytes:
        return self.begin_compiling(translation, options).result()

    def begin_compiling(self, translation: Translation, options: BuildOptions) -> UnfinishedCode:
        return begin_program(translation, options)

    peer_copies = HostPeerCopies()
    # The compiler is a process of its own already.
    compiler_spec = None
    lost = False
    rounds_sizes = True
    # CUDA's graphs and streams, and what other APIs export, are for devices that are GPUs.
    native_images = record = borrow_stream = keeping_current = make_ready = import_memory = import_semaphore = cuda_code = None

    def compiler_start(self) -> AbstractContextManager[object]:
        return nullcontext()

    def compiler_log(self, binary: bytes) -> str:
        return ""

    @property
    def target(self) -> str:
        return target()

    def load(self, binary: bytes) -> HostModule:
        return HostModule(binary)
