"""Loaded CUDA modules: a program's variants (`program`) and the kernels in them. The plain one is not made
for all launches (`launch`) nor for all images (`image_variant`)."""

from __future__ import annotations

import ctypes
import functools
import math
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ...translator.ir.kernel_info import KernelInfo, VariableInfo
from ..driver.device import NativeLaunch
from ..driver.interface import DeviceLost, DriverError, Stream, Triple
from ..process import debug_mode
from . import image_variant, launch, nvrtc
from .borrowed_stream import BorrowedStream
from .context import CudaContext
from .faults import OUT_OF_MEMORY, explained
from .image_variant import Wanted
from .launch import GRID_LIMITS, LaunchRecord
from .launching import Launching
from .linker import linked
from .program import CudaProgram
from .properties import MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z, MAX_THREADS_PER_MULTIPROCESSOR, WARP_SIZE
from .rounded_launch import rounded
from .stream import CudaStream
from .turns import Turns

# CUfunction_attribute
MAX_THREADS_PER_BLOCK, SHARED_SIZE, LOCAL_SIZE, REGISTERS, MAX_DYNAMIC_SHARED = 0, 1, 3, 4, 8
# What a block may use of shared memory without asking for more.
SHARED_WITHOUT_ASKING = 48 << 10

RECORD_SYMBOL = "_ZN3ocl6launchE"


def symbol_of(variable: VariableInfo) -> str:
    """As the C++ ABI mangles the name of a variable in a namespace."""
    path = ("ocl", "user", *variable.cxx_name.split("::"))
    return f"_ZN{''.join(f'{len(name)}{name}' for name in path)}E"


class CudaModule:
    def __init__(self, context: CudaContext, program: CudaProgram):
        self.context = context
        self.program = program
        self._plain: dict[int, Variant] = {}  # by its number among the program's parts
        self._swapped: Variant | None = None
        self._rounded: Variant | None = None
        self._general: dict[int, Variant] = {}
        self._compiled: dict[str, Variant] = {}
        self._lock = threading.Lock()

    def plain(self, kernel: KernelInfo) -> Variant | None:
        """Of the kernel. None in a program that only works in the general variant."""
        number = self.program.parts.get(kernel.cxx_name)
        if number is None:
            return None
        with self._lock:
            if number not in self._plain:
                self._plain[number] = Variant(self.context, self.program.plain[number])
            return self._plain[number]

    @property
    def swapped(self) -> Variant:
        """The swapped variant, of a program that has a plain one and takes images."""
        with self._lock:
            if self._swapped is None:
                self._swapped = Variant(self.context, self.program.swapped(self._compiler))
            return self._swapped

    @property
    def rounded(self) -> Variant:
        """The rounded variant, of a program that has kernels which may be launched so."""
        with self._lock:
            if self._rounded is None:
                self._rounded = Variant(self.context, self.program.rounded(self._compiler))
            return self._rounded

    @property
    def _compiler(self) -> nvrtc.Nvrtc:
        return nvrtc.nvrtc(self.context.newest_compiler)

    def general(self, slot: int = 0) -> Variant:
        """The general variant. Launches with one `ocl::launch` come after each other, so streams of different
        slots have variants of their own, unless the program has variables, which may not exist twice."""
        slot = slot if self.program.plain else 0
        with self._lock:
            if slot not in self._general:
                self._general[slot] = Variant(self.context, self.program.general(self._compiler))
            return self._general[slot]

    def compiled(self, name: str) -> Variant:
        """The module of a kernel that was not translated."""
        with self._lock:
            if name not in self._compiled:
                self._compiled[name] = Variant(self.context, linked(self.context, self.program.compiled[name]))
            return self._compiled[name]

    def variable(self, variable: VariableInfo) -> int:
        """A program with variables has one variant, the general one."""
        return self.general().address(symbol_of(variable))

    def function(self, kernel: KernelInfo) -> CudaFunction:
        return (CompiledFunction if kernel.cuda_code else CudaFunction)(self, kernel)

    def unload(self) -> None:
        for variant in (*self._plain.values(), self._swapped, self._rounded, *self._general.values(), *self._compiled.values()):
            if variant is not None:
                variant.unload()


class Variant:
    """One loaded module, and the `turns` of the launches that share its `ocl::launch`."""

    def __init__(self, context: CudaContext, code: bytes):
        self.context = context
        self.cuda = context.cuda
        context.enter()
        self.handle = self._loaded(code)
        self.turns = Turns()

    def _loaded(self, code: bytes) -> int:
        handle: int = self.context.with_room(lambda: self.cuda.call(self.cuda.driver.moduleLoadData, code))
        return handle

    def function(self, symbol: str) -> int:
        self.context.enter()
        return self.cuda.call(self.cuda.driver.moduleGetFunction, self.handle, symbol)

    @cached_property
    def record(self) -> int:
        """The address of `ocl::launch`; 0 where no kernel looks at it."""
        return self.address(RECORD_SYMBOL)

    def address(self, symbol: str) -> int:
        """The address of a variable; 0 where the module has none of that name."""
        self.context.enter()
        try:
            return self.cuda.call(self.cuda.driver.moduleGetGlobal, self.handle, symbol)
        except DriverError:
            return 0

    def write(self, record: LaunchRecord, stream: CudaStream) -> None:
        """Has the stream write `ocl::launch`, where that is needed; in its turn."""
        if not self.record or (stream.capture is None and self.turns.is_written(bytes(record))):
            return
        # Pageable host memory has been read when the call returns.
        self.cuda.call(self.cuda.runtime.memcpyAsync, self.record, ctypes.addressof(record), ctypes.sizeof(record), 1, stream.handle)
        if stream.capture is None:
            self.turns.note_written(record)

    def take_turn(self, stream: CudaStream) -> None:
        """The stream comes after the last launch that used `ocl::launch`. Where the stream is captured, the graph comes after it
        each time that it is launched."""
        if stream.capture is not None:
            stream.capture.serial[self] = None
            return
        self.turns.come_after(stream)
        self.turns.take(stream)

    def come_after_last_use(self, stream: Stream) -> None:
        with self.turns:
            self.turns.come_after(stream)

    def note_use(self, stream: Stream) -> None:
        """A graph's, which has written what it was captured with."""
        assert isinstance(stream, CudaStream)
        with self.turns:
            self.turns.forget_written()
            self.turns.take(stream)

    def unload(self) -> None:
        handle, self.handle = self.handle, 0
        if handle and not self.cuda.ended:
            with self.context.entered():
                self.cuda.call(self.cuda.driver.moduleUnload, handle)


class CudaFunction:
    """A kernel. Its attributes are the plain variant's, or the general one's where it has no other."""

    def __init__(self, module: CudaModule, kernel: KernelInfo):
        self.module = module
        self.context = module.context
        self.cuda = module.context.cuda
        self.name = kernel.name
        self.symbol = module.program.symbols[kernel.cxx_name]
        self._images = image_variant.images_of(kernel)
        self._waits = module.program.waits and not kernel.cuda_code  # for the grid before it
        self.rounds = kernel.cxx_name in module.program.rounds
        self.handles_by_surplus = 0, 0
        self._handles: dict[Variant, int] = {}
        self._dynamic_allowed: dict[int, int] = {}
        if kernel.uses_printf:
            self.context.expect_printf()
        self._plain = module.plain(kernel)
        handle = self._handle(self._first_variant(kernel))
        self.max_work_group_size = self._attribute(MAX_THREADS_PER_BLOCK, handle)
        self.local_size = self._attribute(SHARED_SIZE, handle)
        self.max_plain_dynamic_local = SHARED_WITHOUT_ASKING - self.local_size
        self.private_size = self._attribute(LOCAL_SIZE, handle)
        self.registers = self._attribute(REGISTERS, handle)
        self.spills = module.program.spills(kernel.cxx_name)
        self._first_handle = handle

    def _first_variant(self, kernel: KernelInfo) -> Variant:
        return self._plain or self.module.general()

    def _handle(self, variant: Variant) -> int:
        if variant not in self._handles:
            self._handles[variant] = variant.function(self.symbol)
        return self._handles[variant]

    def _attribute(self, number: int, handle: int) -> int:
        return self.cuda.call(self.cuda.driver.funcGetAttribute, number, handle)

    def occupancy(self, local_size: Triple, dynamic_local: int) -> float:
        """In whole warps, as the multiprocessors keep them."""
        self.context.enter()
        self._allow_dynamic(self._first_handle, dynamic_local)
        size, warp = math.prod(local_size), self.context.attribute(WARP_SIZE)
        blocks = self.cuda.call(self.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor, self._first_handle, size, dynamic_local)
        return blocks * math.ceil(size / warp) * warp / self.context.attribute(MAX_THREADS_PER_MULTIPROCESSOR)

    def _allow_dynamic(self, handle: int, size: int) -> None:
        """Asks for more than 48 KB of shared memory, which every function has to do for itself."""
        if self.local_size + size > SHARED_WITHOUT_ASKING and size > self._dynamic_allowed.get(handle, 0):
            self.cuda.call(self.cuda.driver.funcSetAttribute, handle, MAX_DYNAMIC_SHARED, size)
            self._dynamic_allowed[handle] = size

    @property
    def max_global_size(self) -> Triple | None:
        """What one grid does not hold takes several."""
        return None

    def prepare(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                dynamic_local: int, parameters: int) -> Callable[[], None]:
        assert isinstance(stream, CudaStream)
        self.context.enter()
        self.cuda.suspects.add(self.name)
        if debug_mode.active():
            return self._watched_launch(stream, work_dim, global_size, local_size, offset, dynamic_local, parameters)
        grid, wanted = self._grid(global_size, local_size, offset, dynamic_local, parameters)

        def prepared(which: Wanted) -> Callable[[], None]:
            variant = self._in_one_grid(which, grid)
            if variant is None or grid is None:
                return self._prepare_general(stream, work_dim, global_size, local_size, offset, dynamic_local, parameters)
            return self._plain_launch(variant, stream, grid[6], (*grid, stream.handle, parameters, 0))

        return _ByImages(functools.cache(prepared), wanted) if self._images else prepared(wanted())

    def _grid(self, global_size: Triple, local_size: Triple, offset: Triple, dynamic_local: int,
              parameters: int) -> tuple[tuple[int, ...] | None, Callable[[], Wanted]]:
        """The launch as one grid of another variant than the general one: blocks, threads and bytes of dynamic shared memory; and which
        variant serves it: of a kernel that takes images it may be another one whenever that is asked."""
        grid: tuple[int, ...] | None = None
        if self._plain is None:
            pass
        elif launch.is_plain(global_size, local_size, offset):
            grid = (*(size // block for size, block in zip(global_size, local_size, strict=True)), *local_size, dynamic_local)
        elif self.rounds and not any(offset):
            grid = rounded(global_size, local_size)
        return grid, image_variant.variant_for(self._images, parameters) if grid else lambda: Wanted.GENERAL

    def _in_one_grid(self, wanted: Wanted, grid: tuple[int, ...] | None) -> Variant | None:
        """A variant whose launches are one grid each; None of the general one, whose launches `launch.pieces` has."""
        if self.rounds and grid is not None and grid[6]:  # which has no local memory: it is the surplus
            return self._rounded(math.prod(grid[3:6])) if wanted == Wanted.PLAIN else None
        if wanted == Wanted.SWAPPED:
            return self.module.swapped
        return self._plain if wanted == Wanted.PLAIN else None

    def _rounded(self, threads: int) -> Variant | None:
        """The rounded variant; None where a block of so many threads has more registers there than a multiprocessor has. Native code may
        choose between both variants from then on, unless images do."""
        variant = self.module.rounded
        handle = self._handle(variant)
        if self._plain is not None and not self._images:
            self.handles_by_surplus = self._handle(self._plain), handle
        return variant if threads <= self._attribute(MAX_THREADS_PER_BLOCK, handle) else None

    def native_launch(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                      dynamic_local: int, parameters: int) -> NativeLaunch | None:
        """Debug mode watches each launch."""
        assert isinstance(stream, CudaStream)
        if debug_mode.active():
            return None
        grid, wanted = self._grid(global_size, local_size, offset, dynamic_local, parameters)
        variant = self._in_one_grid(wanted(), grid)
        if variant is None or grid is None:
            pieces = launch.pieces(work_dim, global_size, local_size, offset, GRID_LIMITS)
            return self._native_general(stream, pieces[0], dynamic_local, parameters) if len(pieces) == 1 else None
        return self._native(variant, (*grid, stream.handle, parameters, 0))

    def _native_general(self, stream: CudaStream, piece: tuple[Triple, Triple, LaunchRecord], dynamic_local: int,
                        parameters: int) -> NativeLaunch | None:
        """A launch of the general variant in one piece. Somebody's default streams are others in each thread."""
        (grid, block, record), variant, addresses = piece, self.module.general(stream.slot), self.cuda.launch_addresses
        if addresses is None or isinstance(stream, BorrowedStream):
            return None
        (call, current, _), context = addresses, self.context.handle
        words = (self._handle(variant), *grid, *launch.block_of(block), dynamic_local, stream.handle, parameters, 0)
        if not variant.record:
            return NativeLaunch("grid", call, words, current, context)
        turns = variant.turns.open_to_native_code()
        if not turns:
            return None
        return NativeLaunch("recorded grid", call, (*words, turns, variant.record), current, context, record=bytes(record))

    def _native(self, variant: Variant, arguments: tuple[int, ...]) -> NativeLaunch | None:
        addresses = self.cuda.launch_addresses
        if addresses is None:
            return None
        launch, current, dependent_launch = addresses
        words = (self._handle(variant), *arguments)
        if self._waits:
            return NativeLaunch("dependent grid", dependent_launch, words, current=current, context=self.context.handle)
        return NativeLaunch("grid", launch, words, current=current, context=self.context.handle)

    def _prepare_general(self, stream: CudaStream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                         dynamic_local: int, parameters: int) -> Callable[[], None]:
        variant = self.module.general(stream.slot)
        handle = self._handle(variant)
        self._allow_dynamic(handle, dynamic_local)
        pieces = launch.pieces(work_dim, global_size, local_size, offset, GRID_LIMITS)

        def run() -> None:
            self._general_launch(variant, handle, pieces, stream, dynamic_local, parameters)

        launching = self.cuda.native_launching if len(pieces) == 1 and stream.capture is None else None
        found = None if launching is None else self._native_general(stream, pieces[0], dynamic_local, parameters)
        if launching is None or found is None or found.kind != "recorded grid":
            return run
        *words, _, turns, place = found.words
        return launching.recorded(tuple(words), turns, place, found.record, run)

    def _plain_launch(self, variant: Variant, stream: CudaStream, dynamic_local: int, arguments: tuple[int, ...]) -> Callable[[], None]:
        """The hot path: all that is left to do for a launch that was made before."""
        handle = self._handle(variant)
        self._allow_dynamic(handle, dynamic_local)
        borrowed = isinstance(stream, BorrowedStream)
        # Others' host functions in the stream would wait for the interpreter's lock, which must not be held there.
        launching = Launching(self.cuda.driver.launchKernel, None) if borrowed else self.cuda.launching
        error_type, suspects = self.cuda.driver.CUDADriverError, self.cuda.suspects
        current, context, enter = self.cuda.driver.ctxGetCurrent, self.context.handle, self.context.enter
        check = self.cuda.driver.check_status
        launching.note_thread()

        def run() -> None:
            try:
                launching.call(handle, *arguments)
            except error_type as error:
                explain_or_run(error)

        def explain_or_run(error: Any) -> None:
            """A kernel whose work-items need more private memory than any before is given that by its launch."""
            if current() == context and not (error.status == OUT_OF_MEMORY and self.context.give_back()):
                raise explained(error, suspects) from error
            run_in_context()

        def failed(status: int) -> None:
            try:
                check(status)
            except error_type as error:
                explain_or_run(error)

        def run_in_context() -> None:
            enter()
            try:
                launching.call(handle, *arguments)
            except error_type as error:
                raise explained(error, suspects) from error

        # CUDA refuses a stream of ours where another context is current, or none; of somebody's default streams each context has one.
        if borrowed:
            return run_in_context
        native, captured = self.cuda.native_launching, stream.capture is not None
        return run if native is None else native.prepared((handle, *arguments[:-1]), self._waits and not captured, failed,
                                                          0 if captured else stream.due_pages)

    def _watched_launch(self, stream: CudaStream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                        dynamic_local: int, parameters: int) -> Callable[[], None]:
        """Piece by piece, each waited for: the error says which work-groups failed."""
        variant = self.module.general(stream.slot)
        handle = self._handle(variant)
        self._allow_dynamic(handle, dynamic_local)
        limits = launch.limits_for(global_size, local_size, debug_mode.MAX_PIECES)
        pieces = launch.pieces(work_dim, global_size, local_size, offset, limits)

        def run() -> None:
            self.cuda.suspects.only(self.name)
            for piece in pieces:
                try:
                    self._general_launch(variant, handle, [piece], stream, dynamic_local, parameters)
                    stream.synchronize()
                except DeviceLost as error:
                    exactly = self.cuda.core_dump.where(piece[2], work_dim) if self.cuda.core_dump else ""
                    raise error.at(exactly or launch.extent(work_dim, *piece)) from None

        return run

    def _general_launch(self, variant: Variant, handle: int, pieces: list[tuple[Triple, Triple, LaunchRecord]],
                        stream: CudaStream, dynamic_local: int, parameters: int) -> None:
        """Writes `ocl::launch` in the stream before every piece. The module has only one: launches in other
        streams, which must not see it change, come after each other."""
        self.context.enter()
        with variant.turns:
            variant.take_turn(stream)
            if stream.capture is not None:
                stream.capture.keep.append(pieces)  # A graph's copies read the records each time.
            else:
                stream.bring_due_pages()
            for grid, block, record in pieces:
                variant.write(record, stream)
                words = (*grid, *launch.block_of(block), dynamic_local, stream.handle, parameters, 0)
                self.context.with_room(functools.partial(self.cuda.call, self.cuda.driver.launchKernel, handle, *words))


class _ByImages:
    """The plan of a kernel that takes images: which variant reads them is looked up for each launch, or once and for all those like it."""

    def __init__(self, prepared: Callable[[Wanted], Callable[[], None]], wanted: Callable[[], Wanted]):
        self._prepared, self._wanted = prepared, wanted

    def __call__(self) -> None:
        self.now()()

    def now(self) -> Callable[[], None]:
        return self._prepared(self._wanted())


class CompiledFunction(CudaFunction):
    """A kernel that was not translated. There is one variant of it, so a launch of it is one grid of
    CUDA's."""

    # "the maximum global size that can be used to execute a kernel"
    @property
    def max_global_size(self) -> Triple:
        x, y, z = (limit * most for limit, most in zip(GRID_LIMITS, self._most_items, strict=True))
        return x, y, z

    @property
    def _most_items(self) -> Triple:
        """CUDA's limits of a block: what was not translated runs in no folded ones."""
        attribute = self.context.attribute
        return attribute(MAX_BLOCK_DIM_X), attribute(MAX_BLOCK_DIM_Y), attribute(MAX_BLOCK_DIM_Z)

    def _first_variant(self, kernel: KernelInfo) -> Variant:
        self._variant = self.module.compiled(kernel.cxx_name)
        return self._variant

    def prepare(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                dynamic_local: int, parameters: int) -> Callable[[], None]:
        assert isinstance(stream, CudaStream)
        if not launch.is_one_grid(global_size, local_size):
            raise DriverError(f"kernel '{self.name}' is CUDA code: it runs in one grid, of at most {GRID_LIMITS} work-groups",
                              "INVALID_GLOBAL_WORK_SIZE")
        if local_size[2] > launch.BLOCK_DEPTH:
            raise DriverError(f"kernel '{self.name}' is CUDA code: its work-groups are at most {launch.BLOCK_DEPTH} deep",
                              "INVALID_WORK_ITEM_SIZE")
        self.context.enter()
        self.cuda.suspects.add(self.name)
        grid = tuple(size // block for size, block in zip(global_size, local_size, strict=True))
        return self._plain_launch(self._variant, stream, dynamic_local, (*grid, *local_size, dynamic_local, stream.handle, parameters, 0))

    def native_launch(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                      dynamic_local: int, parameters: int) -> NativeLaunch | None:
        if debug_mode.active():
            return None
        grid = tuple(size // block for size, block in zip(global_size, local_size, strict=True))
        return self._native(self._variant, (*grid, *local_size, dynamic_local, stream.handle, parameters, 0))
