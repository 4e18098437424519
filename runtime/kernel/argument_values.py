"""The values of a kernel's arguments in the driver's form: `parameters` is the address of the array of pointers that launches take.

As the specification asks (5.9.2), no memory object is kept alive, but by a snapshot's launch.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ...translator.ir.kernel_info import ENQUEUING_SIZE, ArgInfo, KernelInfo
from ..context.context import Context
from ..devices.device import Device
from ..driver.interface import Stream
from ..memory.buffer import Buffer
from ..memory.directory import READ, WRITE
from ..memory.memory_object import ONLY_READ

if TYPE_CHECKING:
    from ..image.image import Image
    from ..memory.pipe import Pipe

LOCAL_ALIGN = 128
# What an argument is for code in C that sets it, as runtime/native/arguments.c has them.
OTHER, VALUE, BUFFER, IMAGE = range(4)
# Brings an argument's contents to a device for a stream, and writes the address there.
Bring = Callable[[Device, Stream], None]


def round_up(value: int, to: int) -> int:
    return -(-value // to) * to


def _parts(arg: ArgInfo, start: int) -> list[int]:
    """Where the argument's parameters start."""
    return [start] if arg.parts == 1 else [start + part * (arg.parameter_size // arg.parts) for part in range(arg.parts)]


class Layout(NamedTuple):
    """Where a kernel's parameters stand in the memory of their values, values behind all others.

    offsets     of each argument that has parameters, by its index
    size        of all values, in bytes
    launch      where the last parameter of a kernel that enqueues others stands: what it is told about device queues
    starts      of each parameter: an argument may have several
    """

    offsets: dict[int, int]
    size: int
    starts: tuple[int, ...]
    memory_type: type[ctypes.Array[ctypes.c_ubyte]]
    pointers_type: type[ctypes.Array[ctypes.c_void_p]]
    launch: int | None = None

    @classmethod
    def of(cls, info: KernelInfo) -> Layout:
        parameters = [(index, arg) for index, arg in enumerate(info.args) if arg.parameter]
        found, end = {}, 0
        values = [parameter for parameter in parameters if parameter[1].kind == "value"]
        for index, arg in [parameter for parameter in parameters if parameter[1].kind != "value"] + values:
            end = round_up(end, max(arg.align, 8))
            found[index] = end
            end += arg.parameter_size
        offsets = dict(sorted(found.items()))
        size = round_up(end, 8)
        starts = tuple([start for index, offset in offsets.items() for start in _parts(info.args[index], offset)])
        launch = size if info.enqueues else None
        if launch is not None:
            starts, size = (*starts, launch), size + ENQUEUING_SIZE
        return cls(offsets, size, starts, ctypes.c_ubyte * (size + LOCAL_ALIGN), ctypes.c_void_p * max(1, len(starts)), launch)

    def new_memory(self) -> tuple[ctypes.Array[ctypes.c_ubyte], ctypes.Array[ctypes.c_void_p]]:
        """Memory of zeros for the values, which begin where `_aligned` says, and each parameter's address there."""
        memory = self.memory_type()
        first = _aligned(memory)
        return memory, self.pointers_type(*[first + start for start in self.starts])


def _aligned(memory: ctypes.Array[ctypes.c_ubyte]) -> int:
    """Where the values begin: ctypes aligns to 16 at best, they at the largest alignment of an OpenCL type."""
    address = ctypes.addressof(memory)
    return address + -address % LOCAL_ALIGN


class ArgumentValues:
    """Memory for the values of a kernel's arguments, which begin as zeros. `layout` is that of the kernel, `Layout.of`.

    dynamic_local   bytes of dynamic local memory that a launch needs
    """

    def __init__(self, info: KernelInfo, context: Context, layout: Layout):
        self.info = info
        self.context = context
        self.dynamic_local = 0
        self._buffers: dict[int, weakref.ref[Buffer] | weakref.ref[Pipe]] = {}
        self._images: dict[int, weakref.ref[Image]] = {}
        self._array_starts: dict[int, int] = {}  # where in its memory object an array starts
        self._kept: list[Bring] | None = None  # of a snapshot: what `acquire` does with memory objects that may be released by then
        self._layout = layout
        self._offsets = self._layout.offsets
        self._allocate()

    def _allocate(self) -> None:
        self._memory, self._pointers = self._layout.new_memory()
        first = _aligned(self._memory) - ctypes.addressof(self._memory)
        self._bytes = memoryview(self._memory).cast("B")[first : first + self._layout.size]
        self._words = self._bytes.cast("Q")
        self.parameters = ctypes.addressof(self._pointers)

    def snapshot(self) -> ArgumentValues:
        """The values of now, in memory of their own, for a launch that has to wait. In a context of several devices it keeps what is in
        the arguments' memory objects: "After the memobj reference count becomes zero and commands queued for execution on a
        command-queue(s) that use memobj have finished, the memory object is deleted" (5.5.1)."""
        copy = ArgumentValues(self.info, self.context, self._layout)
        copy._take_values(self)
        if not self.context.fixed_addresses:
            copy._kept = list(copy._bring_all())
        return copy

    def without_values(self) -> ArgumentValues:
        """Memory of the same layout."""
        return ArgumentValues(self.info, self.context, self._layout)

    def with_values(self, values: bytes) -> ArgumentValues:
        """A snapshot of another time, when the values' memory had these bytes."""
        copy = ArgumentValues(self.info, self.context, self._layout)
        copy._bytes[:] = values
        return copy

    @cached_property
    def native_parameters(self) -> tuple[int, int, int, int]:
        """What code in C copies them by: the address of the parameters, their number, the address of their values, and its bytes."""
        return self.parameters, len(self._layout.starts), _aligned(self._memory), self._layout.size

    def _take_values(self, other: ArgumentValues) -> None:
        self._bytes[:] = other._bytes
        self._buffers.update(other._buffers)
        self._images.update(other._images)
        self._array_starts.update(other._array_starts)
        self.dynamic_local = other.dynamic_local

    def tell(self, environment: int) -> None:
        """Of a kernel that enqueues others: where its device queues are (`ocl::enqueuing`); it has no parent."""
        if self._layout.launch is not None:
            self._words[self._layout.launch // 8] = environment
            self._words[self._layout.launch // 8 + 1] = 0

    def plain_places(self, noted: bool = False) -> list[tuple[int, int, int]]:
        """(kind, bytes, address) of each argument's place: what was set once may be set again by writing there,
        a value's bytes, a buffer's address, or what an image is given as (with `image_states` for the bytes) where that asks for no
        other plan; the kind OTHER for arguments of which more depends. A buffer where contents may be on several devices counts only
        where it is `noted` in `buffers` as well."""
        start, has_pointers = _aligned(self._memory), self.context.fixed_addresses or noted
        return [self._plain_place(start, index, arg, has_pointers) for index, arg in enumerate(self.info.args)]

    def _plain_place(self, start: int, index: int, arg: ArgInfo, has_pointers: bool) -> tuple[int, int, int]:
        is_pointer = arg.kind in ("global", "constant") and not arg.dimensions and has_pointers
        if arg.kind == "value" or is_pointer:
            return BUFFER if is_pointer else VALUE, arg.parameter_size, start + self._offsets[index]
        if arg.kind == "image" and self.context.fixed_addresses:
            return IMAGE, self.image_states(arg), start + self._offsets[index]
        return OTHER, 0, 0

    def image_states(self, arg: ArgInfo) -> int:
        """The states of samplers that the kernel may read the argument's image in: a bit for each of TEXTURE_STATES."""
        from ..driver.image_argument import states_of
        from . import accepted_images

        return states_of(self.info.samplers) if accepted_images.is_sampled(arg) else 0

    @property
    def buffers(self) -> dict[int, weakref.ref[Buffer] | weakref.ref[Pipe]]:
        """In a context of several devices: the memory objects that arguments point to, by their index."""
        return self._buffers

    def pointers(self) -> list[tuple[int, int, bool]] | None:
        """(index, offset in the values, whether the kernel may write there) of each argument that may point to a buffer; None where more
        than an address depends on the device."""
        if any(arg.kind in ("image", "pipe") or arg.dimensions for arg in self.info.args):
            return None
        return [(index, self._offsets[index], not arg.read_only) for index, arg in enumerate(self.info.args)
                if arg.kind in ("global", "constant")]

    def image_place(self, index: int) -> int:
        """The address of what kernels are given for that image; 0 where that depends on the device."""
        return _aligned(self._memory) + self._offsets[index] if self.context.fixed_addresses else 0

    def value_bytes(self, index: int) -> bytes:
        """The value of an argument as kernels get it; b"" for local memory whose place the kernel knows."""
        arg, start = self.info.args[index], self._offsets.get(index)
        return b"" if start is None else bytes(self._bytes[start : start + arg.parameter_size])

    def acquire(self, device: Device, stream: Stream) -> None:
        """In a context of several devices: brings the arguments' contents to the device, for a launch that is about to be given to the
        stream, and their addresses up to date."""
        for bring in self._bring_all() if self._kept is None else self._kept:
            bring(device, stream)

    def _bring_all(self) -> Iterator[Bring]:
        for index, reference in self._buffers.items():
            if (buffer := reference()) is not None:
                yield self._bring_buffer(index, buffer)
        for index, image_reference in self._images.items():
            if (image := image_reference()) is not None:
                yield self._bring_image(index, image)

    def _bring_buffer(self, index: int, buffer: Buffer | Pipe) -> Bring:
        from . import array_argument  # which few kernels need

        arg, word, start = self.info.args[index], self._offsets[index] // 8, self._array_starts.get(index, 0)
        if arg.dimensions:
            word += array_argument.ADDRESS
        place = buffer.place(READ if arg.read_only or buffer.flags & ONLY_READ else WRITE)

        def bring(device: Device, stream: Stream) -> None:
            self._words[word] = place(device, stream) + start

        return bring

    def _bring_image(self, index: int, image: Image) -> Bring:
        from . import accepted_images

        arg = self.info.args[index]
        given = image.argument_on(accepted_images.is_sampled(arg), READ if arg.access_qualifier == "read_only" else WRITE)

        def bring(device: Device, stream: Stream) -> None:
            self._place(index)[:] = given(device, stream)

        return bring

    def _place(self, index: int) -> memoryview:
        start = self._offsets[index]
        return self._bytes[start : start + self.info.args[index].size]
