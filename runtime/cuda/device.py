"""A CUDA device: its memory, images and streams, and building programs for it. What its parts share is in
`context`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from ..driver.interface import DEFAULT_HINTS, DriverError, Linear, StreamHints
from ..opengl import library as opengl
from ..process import debug_mode
from . import nvrtc, properties
from .api import Cuda
from .context import CudaContext, PeerEnd
from .initialization import beside
from .memory import Memory
from .shared_memory import SharedMemory
from .staging import Staging
from .timeline import Timeline

if TYPE_CHECKING:
    from ...translator import Translation
    from ...translator.options import BuildOptions
    from ..driver.device import CompiledKernel, CudaCode, Graph, Recorded
    from ..driver.image_layout import ImageLayout
    from ..driver.interface import Stream
    from ..driver.properties import DeviceProperties
    from ..driver.unfinished_code import UnfinishedCode
    from .borrowed_stream import BorrowedStream
    from .external import ExternalCalls, ExternalMemory, ExternalSemaphore
    from .graph import GraphCalls
    from .graphics import CudaGraphics
    from .image import CudaImage
    from .image_pool import ImagePool
    from .module import CudaModule
    from .native_images import NativeImages
    from .peer import CudaPeerCopies
    from .pooled_stream import PooledStream
    from .stream import CudaStream

REGISTER_PORTABLE = 1  # cudaHostRegisterPortable
# How many bytes of page-locked memory may be kept, which nobody else of the machine can have.
HOST_KEPT = 128 << 20


class CudaDevice(PeerEnd):
    # A process gets no part of a GPU, and a kernel's fault does not end it.
    partition = announce = None
    lost = False  # Every call after a fault says it.
    rounds_sizes = True

    def __init__(self, cuda: Cuda, ordinal: int):
        self.cuda = cuda
        self.ordinal = ordinal
        self.context = CudaContext(cuda, ordinal)
        self.context.give_back = self._give_back
        self.enter, self.keeping_current = self.context.enter, self.context.restored
        self.staging = Staging(self.context, self.allocate_host, self.free_host)
        self.timeline = Timeline(self.context)
        self.shared_memory = SharedMemory(self.context)
        self._resting: dict[StreamHints, list[tuple[PooledStream, int]]] = {}

    # What follows imports its parts when they are first asked for: a program that looks at its devices does not wait for them, and one
    # that makes a context finds them imported (`preparation`).

    @cached_property
    def peer_copies(self) -> CudaPeerCopies:
        from .peer import CudaPeerCopies

        return CudaPeerCopies(self.context)

    def make_ready(self) -> None:
        with self.context.entered():
            pass

    @cached_property
    def properties(self) -> DeviceProperties:
        return properties.query(self.cuda, self.ordinal)

    @property
    def capability(self) -> tuple[int, int]:
        extra = self.properties.extra
        return extra["compute_capability_major"], extra["compute_capability_minor"]

    @property
    def cuda_code(self) -> CudaCode:
        return self

    # Memory

    @cached_property
    def memory(self) -> Memory:
        return Memory(self._malloc, self._free, self.properties.global_memory // 16)

    def _malloc(self, size: int) -> int:
        self.enter()
        address: int = self.cuda.call(self.cuda.runtime.malloc, size)
        return address

    def _free(self, address: int) -> None:
        with self.context.entered():
            self.cuda.call(self.cuda.runtime.free, address)

    def allocate(self, size: int) -> int:
        try:
            return self.memory.allocate(size)
        except DriverError:
            if not self.images.trim():
                raise
            return self.memory.allocate(size)

    def free(self, address: int) -> None:
        if not self.cuda.ended:
            self.memory.free(address)

    def _give_back(self) -> bool:
        """All that is kept for the next allocations goes back to CUDA: whether there may be more room than before."""
        return any([self.images.trim(), self.memory.trim()])

    @cached_property
    def host_memory(self) -> Memory:
        """Page-locked memory. CUDA takes a hundred microseconds and more to give and to take back the smallest piece, and lets one
        process of the machine after the other do so."""
        return Memory(self._host_alloc, self._free_host, HOST_KEPT)

    def _host_alloc(self, size: int) -> int:
        self.enter()
        address: int = self.cuda.call(self.cuda.runtime.hostAlloc, size, self.cuda.runtime.hostAllocPortable)
        return address

    def _free_host(self, address: int) -> None:
        with self.context.entered():
            self.cuda.call(self.cuda.runtime.freeHost, address)

    def allocate_host(self, size: int) -> int:
        address = self.host_memory.allocate(size)
        self.cuda.page_locked[address] = size
        return address

    def free_host(self, address: int) -> None:
        self.cuda.page_locked.pop(address, None)
        if not self.cuda.ended:
            self.host_memory.free(address)

    def copy_now(self, address: int, data: bytes) -> None:
        """Copies to the device; the copy is done when the call returns."""
        from .stream import KINDS, LEGACY

        runtime, source = self.cuda.runtime, ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
        self.cuda.call(runtime.memcpy, address, source, len(data), KINDS["host_to_device"])
        # It may return before the data is there, and non-blocking streams do not wait for the stream that it
        # was on.
        self.cuda.call(runtime.streamSynchronize, LEGACY)

    def allocate_shared(self, size: int) -> int:
        return self.shared_memory.allocate(size)

    def free_shared(self, address: int) -> None:
        if not self.cuda.ended:
            self.shared_memory.free(address)

    def register_host(self, address: int, size: int) -> bool:
        self.enter()
        try:
            self.cuda.runtime.hostRegister(address, size, REGISTER_PORTABLE)
        except self.cuda.Error:  # read-only memory, or page-locked already: its copies take the way that all memory can
            return False
        return True

    def unregister_host(self, address: int) -> None:
        if not self.cuda.ended:
            with self.context.entered():
                self.cuda.call(self.cuda.runtime.hostUnregister, address)

    # Images

    @cached_property
    def images(self) -> ImagePool[CudaImage]:
        from .image_pool import ImagePool

        return ImagePool(self.properties.global_memory // 16)

    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> CudaImage:
        from .image import CudaImage

        if memory is not None:
            return CudaImage(self, layout, memory)
        resting = self.images.take(layout)
        if resting is not None:
            return resting
        return self.context.with_room(lambda: CudaImage(self, layout, None))

    @cached_property
    def native_images(self) -> NativeImages | None:
        from .native_images import NativeImages

        functions = self.cuda.array_addresses
        return NativeImages(self, functions) if functions and not debug_mode.active() else None

    def holds_textures(self, memory: Linear) -> bool:
        """Whether textures can be made of a 2D image there."""
        extra = self.properties.extra
        return memory.address % extra["texture_alignment"] == 0 and memory.row_pitch % extra["texture_pitch_alignment"] == 0

    # What others exported

    @cached_property
    def _external_calls(self) -> ExternalCalls:
        from .external import ExternalCalls

        assert self.cuda.library is not None, "the device does not say that it imports"
        return ExternalCalls(self.cuda, self.cuda.library)

    def import_memory(self, fd: int, size: int) -> ExternalMemory:
        from .external import ExternalMemory

        self.enter()
        return ExternalMemory(self.context, self._external_calls, fd, size)

    def import_semaphore(self, fd: int) -> ExternalSemaphore:
        from .external import ExternalSemaphore

        self.enter()
        return ExternalSemaphore(self.context, self._external_calls, fd)

    @cached_property
    def graphics(self) -> CudaGraphics | None:
        """Only NVIDIA's own OpenGL shares with CUDA."""
        there = self.cuda.library is not None and opengl.available() and opengl.nvidia_available()
        if not there:
            return None
        from .graphics import CudaGraphics  # which few machines and fewer programs need

        return CudaGraphics(self)

    # Streams and graphs

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> CudaStream:
        resting = self._resting.setdefault(hints, [])
        try:
            stream, handle = resting.pop()
        except IndexError:
            self.enter()  # which imports the class meanwhile
            from .pooled_stream import PooledStream

            return PooledStream(resting, self.context, hints, self.staging, self.timeline, self.shared_memory)
        self.enter()
        stream.handle = handle
        return stream

    def borrow_stream(self, handle: int) -> BorrowedStream:
        """Our stream over one that another library made."""
        from .borrowed_stream import BorrowedStream

        return BorrowedStream(handle, self.context, self.staging, self.timeline, self.shared_memory)

    @cached_property
    def _graph_calls(self) -> GraphCalls | None:
        from .graph import GraphCalls

        return None if self.cuda.library is None else GraphCalls(self.cuda, self.cuda.library)

    @property
    def record(self) -> Callable[[Stream, Sequence[Recorded]], Graph] | None:
        calls = self._graph_calls
        if calls is None:
            return None
        from .capture import Capture
        from .graph import CudaGraph

        return lambda stream, commands: CudaGraph(self.context, calls, Capture(self.allocate, self.free), stream, commands)

    def expect_printf(self) -> None:
        self.context.expect_printf()

    # Programs

    @property
    def newest_compiler(self) -> int:
        return self.context.newest_compiler

    def compiler_identity(self, options: BuildOptions) -> str:
        from .options import flags

        major, minor = self.capability
        return f"{nvrtc.identity(self.newest_compiler)} sm_{major}{minor} {' '.join(flags(options, (99, 0)))}"

    def compiler_start(self) -> AbstractContextManager[object]:
        """A process whose cache has some programs has not loaded NVRTC with its context: that takes some 20 ms, in which it needs no
        Python."""
        return nullcontext() if nvrtc.is_loaded(self.newest_compiler) else beside(lambda: nvrtc.nvrtc(self.newest_compiler))

    def compile(self, translation: Translation, options: BuildOptions) -> bytes:
        return self.begin_compiling(translation, options).result()

    def begin_compiling(self, translation: Translation, options: BuildOptions) -> UnfinishedCode:
        from .program import begin_for

        return begin_for(self.compiler_spec, translation, options)

    def compiler_log(self, binary: bytes) -> str:
        from .program import CudaProgram

        return CudaProgram.unpack(binary).log

    @cached_property
    def compiler_spec(self) -> str:
        from .program import compiler_spec

        return compiler_spec(self.newest_compiler, self.capability)

    @cached_property
    def target(self) -> str:
        return "sm_{}{}".format(*self.capability)

    def with_kernels(self, binary: bytes, kernels: Sequence[CompiledKernel]) -> bytes:
        """A program, or none (b""), with kernels that were not translated."""
        from .program import CudaProgram

        program = CudaProgram.unpack(binary) if binary else CudaProgram(self.target, (), {}, "", "")
        return program.with_kernels(kernels).pack()

    def load(self, binary: bytes) -> CudaModule:
        from .module import CudaModule
        from .program import CudaProgram

        return CudaModule(self.context, CudaProgram.unpack(binary))
