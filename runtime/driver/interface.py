"""The interface that every driver fills: its errors, values, images and streams. `device` has the rest of it.

A driver knows memory, streams, modules and launches, and nothing of OpenCL's objects, errors or rules: those
are checked above it. Addresses are plain integers; sizes are bytes; a triple is (x, y, z) padded with 1
(sizes) or 0 (offsets).

A driver is given no objects but those that it made: a stream's fence goes to a stream of the same driver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

from .image_formats import ImageFormat

Triple = tuple[int, int, int]
CopyKind = Literal["host_to_device", "device_to_host", "device_to_device"]


class DriverError(Exception):
    """A call to the driver failed. `status` names the OpenCL status code that fits best, e.g.
    "OUT_OF_RESOURCES"."""

    def __init__(self, message: str, status: str = "OUT_OF_RESOURCES"):
        super().__init__(message)
        self.status = status

    def at(self, place: str) -> DriverError:
        """The same error, with a line that says where."""
        self.args = (f"{self}\n  {place}",)
        return self


class DeviceLost(DriverError):
    """A fault after which every call for the device fails, as long as the process lives."""

    def __init__(self, message: str):
        super().__init__(message, "OUT_OF_RESOURCES")


class CommandFailed(DriverError):
    """Of a fence: it has been reached, and a command before it has failed, which no fence before it has told, or which was not noted
    (`Stream.failure_noted`). The stream goes on."""


class DriverMissing(DriverError):
    """What the driver stands on (a compiler, a CUDA library) is not there; the message says what and how to
    get it."""

    def __init__(self, message: str):
        super().__init__(message, "DEVICE_NOT_AVAILABLE")


class BuildFailure(Exception):
    """The back-end compiler refused the translated program. `log` is what a person should read."""

    def __init__(self, log: str):
        super().__init__(log)
        self.log = log


@dataclass(frozen=True)
class ImageLimits:
    """The largest images of a device, in elements: of 1, 2 and 3 dimensions (1 and 2 share `plane`), images
    in an array, images in one dimension over a buffer. `pitch_align` is for the rows, `base_align` for the
    start of 2D images over a buffer."""

    plane: tuple[int, int]
    volume: Triple
    layers: int
    buffer: int
    pitch_align: int
    base_align: int


@dataclass(frozen=True)
class DeviceProperties:
    """Facts about a device that OpenCL's queries derive from; one field a fact, in the driver's own units
    (bytes, MHz).

    `unified_memory` of a device that is no GPU says that device addresses are the host's own, so that mapping
    needs no copy. `shared_memory` says what memory at one address for host and device can do
    (CL_DEVICE_SVM_CAPABILITIES): 0 for none. `item_loops`: kernels with barriers are to be translated as functions for
    whole work-groups, where that is possible. `extra` holds what only some drivers know: "timer_resolution_ns",
    "error_correction", and the facts behind CL_DEVICE_*_NV.
    """

    name: str
    vendor: str
    vendor_id: int
    is_gpu: bool
    compute_units: int
    clock_mhz: int
    global_memory: int
    max_allocation: int
    local_memory: int
    constant_memory: int
    global_cache: int
    global_cacheline: int
    max_work_group_size: int
    max_work_item_sizes: Triple
    sub_group_size: int
    max_parameter_size: int
    base_address_align: int
    unified_memory: bool
    driver_version: str
    extensions: tuple[str, ...]
    images: ImageLimits | None = None
    shared_memory: int = 0
    item_loops: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ImageLayout:
    """An image's elements, as a driver stores them. Sizes count elements and are 1 where the image has no
    such dimension.

    layers    images in an array; 0: it is no array
    levels    mipmap levels; each is half the size of the one before
    """

    dimensions: int
    format: ImageFormat
    width: int
    height: int = 1
    depth: int = 1
    layers: int = 0
    levels: int = 1

    @cached_property
    def key(self) -> tuple[int, ...]:
        """What tells it from other layouts, which is found more quickly in a table than the layout itself."""
        codes = self.format.order.code, self.format.type.code
        return self.dimensions, *codes, self.width, self.height, self.depth, self.layers, self.levels

    @cached_property
    def bytes(self) -> int:
        """Of all levels."""
        return self.bytes_before(self.levels)

    def size(self, level: int = 0) -> Triple:
        """(elements, rows, planes) of a level; the images of an array are its planes."""
        width, height, depth = self._halved(level)
        return width, height, self.layers or depth

    def level(self, level: int) -> ImageLayout:
        """A level as an image of its own."""
        width, height, depth = self._halved(level)
        return replace(self, width=width, height=height, depth=depth, levels=1)

    def _halved(self, level: int) -> Triple:
        return max(1, self.width >> level), max(1, self.height >> level), max(1, self.depth >> level)

    def tight(self, address: int, level: int = 0) -> Linear:
        """The level's elements in memory from the address on, without gaps."""
        width, height, _ = self.size(level)
        row = width * self.format.element_size
        return Linear(address, row, row * height)

    def bytes_before(self, level: int) -> int:
        """Where a level starts when all levels lie one after the other without gaps; the end of all for
        `levels`."""
        if level == 1:
            return self.width * self.height * (self.layers or self.depth) * self.format.element_size
        return sum(math.prod(self.size(each)) for each in range(level)) * self.format.element_size


class Linear(NamedTuple):
    """Rows in memory: the first one's address, and the bytes from a row and from a plane to the next."""

    address: int
    row_pitch: int
    slice_pitch: int

    def at(self, offset: Triple) -> Linear:
        """The memory from an offset (bytes, rows, planes) on."""
        x, y, z = offset
        return self._replace(address=self.address + x + y * self.row_pitch + z * self.slice_pitch)

    def span(self, region: Triple) -> int:
        """Bytes from a region's first one to behind its last."""
        width, rows, planes = region
        return (planes - 1) * self.slice_pitch + (rows - 1) * self.row_pitch + width


class DriverImage(Protocol):
    """An image's elements on a device, in its own memory or in that of a buffer."""

    layout: ImageLayout

    def linear(self, level: int) -> Linear | None:
        """A level's elements as memory of the device; None where they are in an order of the hardware's
        own."""

    def argument(self, view: ImageFormat, sampled: bool) -> bytes:
        """What a kernel is given: `image_argument` of builtins/library/shared/image.cuh, for elements taken
        as `view`, which may be of another order than the layout's format; `sampled` if the kernel may read
        with samplers."""
        ...

    def close(self) -> None: ...


class ImagePart(NamedTuple):
    """Where a region starts in an image: (bytes, rows, planes) into a level."""

    image: DriverImage
    level: int
    offset: Triple


class StreamHints(NamedTuple):
    """What a stream is wanted for; a driver takes of it what it can. `throttle` "low" saves energy: waiting
    threads sleep at once; "high" lets them poll longer."""

    priority: Literal["high", "medium", "low"] = "medium"
    throttle: Literal["high", "medium", "low"] = "medium"


DEFAULT_HINTS = StreamHints()


class Fence(Protocol):
    """A point in a stream's work, made by `Stream.fence`."""

    def wait(self) -> None: ...
    def done(self) -> bool: ...
    def time_ns(self) -> int:
        """When the stream reached the point, on the device's one time line; only for fences made with
        timing=True. The time line follows time.perf_counter_ns() as nearly as the driver can."""


class NativeStream(NamedTuple):
    """A stream as native code uses it, without Python. Its functions give 0, or a status of which Python is to make an error; they are
    called where the context that the function at `current` (cuCtxGetCurrent) gives is `context`: Python works elsewhere.

    query       f(handle): 0 where all commands have ended, CUDA_ERROR_NOT_READY while one has not; asked as long as `poll_ns`
    read        f(host, memory, size, handle), for at most `most_read` bytes; `query` tells when they are there
    write       f(memory, host, size, handle), for at most `most_written` bytes, which it has read when it returns where they are
                pageable memory
                Where both are 0, commands have ended when they return, and the memory is the host's own.
    flushes     `Stream.flush` has something to do
    prints      the address of a word that is not 0 where kernels may print, which Python brings out; 0 where native code waits for none
                that prints
    copy        f(to, from, size, handle), both on the device
    fill_1, fill_2, fill_4   f(memory, number, count, handle), of so many bytes each
    record, wait   f(event, handle), for the `event` of a fence, and f(handle, event, 0): the stream goes on when that has been reached
    copy_2d     f(CUDA_MEMCPY2D, handle)
    staging     page-locked memory of the stream's own, for reads into pageable memory of at most `most_staged` bytes: a word that is 1
                while a thread reads, and the contents from byte STAGED on; 0 where there is none
    attributes  cuPointerGetAttributes
    """

    query: int
    handle: int = 0
    poll_ns: int = 0
    read: int = 0
    write: int = 0
    most_read: int = 1 << 62
    most_written: int = 1 << 62
    flushes: bool = False
    current: int = 0
    context: int = 0
    prints: int = 0
    copy: int = 0
    fill_1: int = 0
    fill_2: int = 0
    fill_4: int = 0
    record: int = 0
    wait: int = 0
    copy_2d: int = 0
    staging: int = 0
    most_staged: int = 0
    attributes: int = 0


STAGED = 64


class Stream(Protocol):
    """Commands in order. A call may return before the device has done the work; `host` memory must live until
    then.

    immediate   a command has ended when its call returns; several threads may call then, and their commands
                run side by side
    handle      CUDA's handle of the stream, for other libraries; 0 on devices that have no streams of CUDA's
    fails_apart a command may fail, or be left out, and later ones run
    conditional a thread has had commands wait for what may fail: `end_command` is to follow the last of them
    """

    immediate: bool
    handle: int
    fails_apart: bool
    conditional: bool

    def copy(self, kind: CopyKind, destination: int, source: int, size: int) -> bool:
        """Whether the host's side is done with when the call returns: what was to be read there has been
        read, or what was to be written is there (and with it, in a stream, all that came before)."""

    def blocks_caller(self, kind: CopyKind, host: int, size: int) -> bool:
        """Whether a copy to or from this host memory keeps the calling thread busy: until the copy has ended,
        say."""

    def copy_rect(self, kind: CopyKind, destination: int, destination_pitches: tuple[int, int],
                  source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        """region is (bytes, rows, slices); pitches are (row, slice) in bytes; addresses already hold the
        origins."""

    def copy_image(self, kind: CopyKind, destination: Linear | ImagePart, source: Linear | ImagePart, region: Triple) -> None:
        """region is (bytes, rows, planes)."""

    def copy_shared(self, destination: int, source: int, size: int) -> bool:
        """`copy` between memory of any kind, by the addresses alone. Whether the bytes are there when the
        call returns."""

    def prefetch(self, address: int, size: int, to_host: bool) -> None:
        """Moves shared memory to where it will be used next; without effect on what is found there."""

    def fill(self, destination: int, pattern: bytes, size: int) -> None: ...
    def fill_image(self, destination: ImagePart, element: bytes, region: Triple) -> None:
        """region is (bytes, rows, planes)."""

    def fence(self, timing: bool) -> Fence: ...
    def after(self, fence: Fence, *, even_failed: bool = False) -> None:
        """Later commands of this stream wait for the fence, which another stream made, of this or of another
        device of the driver; it may be one of its own only where it `fails_apart`. Where what the fence stands behind has
        failed, or is lost with its device, they are left out as far as `end_command`. With `even_failed` only the
        order counts: they run also there."""

    def begin_contents(self) -> None:
        """What the thread gives until `end_contents` brings contents that a command needs: it runs also where what the command
        waits for has failed. Fences made meanwhile tell whether it has. The command is to be made to wait for such a fence."""

    def end_contents(self) -> None: ...
    def end_command(self, given: bool = True) -> None:
        """The thread has given all of a command, which has failed where a part of it was left out. Without `given` the command could not
        be given to the stream, and is nobody's."""

    def failure_noted(self, failure: CommandFailed) -> None:
        """The failure, which a fence has told or `synchronize`, is known to be that of the commands before: later fences do not
        tell it."""

    def idle(self) -> bool:
        """Whether all commands have ended."""

    def poll_completed(self) -> bool:
        """Waits for all commands as long as waiting without a fence is quicker; False if some had not ended
        by then."""

    def flush(self) -> None: ...
    def synchronize(self) -> None: ...
    def native(self) -> NativeStream | None:
        """The stream for native code; None while its calls do more than the driver's own."""

    def rests(self) -> bool:
        """Whether another owner may have the stream as it is: nothing runs on it, and what it has taken of the device is given back."""

    def close(self) -> None: ...
