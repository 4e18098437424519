"""The interface that every driver fills: `runtime/cuda` (CuPy, NVRTC) and `runtime/host` (the machine's C++
compiler).

A driver knows memory, streams, modules and launches, and nothing of OpenCL's objects, errors or rules: those
are checked above it. Addresses are plain integers; sizes are bytes; a triple is (x, y, z) padded with 1
(sizes) or 0 (offsets).

What only some drivers can do is an attribute all the same, which is None where it cannot be done. A driver is
given no objects but those that it made: a stream's fence goes to a stream of the same driver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from .image_formats import ImageFormat

if TYPE_CHECKING:
    from ...translator import Translation
    from ...translator.ir.kernel_info import KernelInfo, VariableInfo
    from ...translator.options import BuildOptions
    from ..opengl.objects import GlBuffer, GlImage
    from ..opengl.share_group import ShareGroup

Shared = TypeVar("Shared", covariant=True)
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


@dataclass(frozen=True)
class StreamHints:
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

    def close(self) -> None: ...


class Spills(NamedTuple):
    """Bytes that a work-item stores and loads since they did not fit into registers, as the compiler wrote the code (a loop
    runs it more often)."""

    stores: int
    loads: int


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


@dataclass(frozen=True)
class NativeLaunch:
    """A prepared launch as native code makes it, without Python, as often as it is wanted: one call at `address`.

    kind      "grid": it is cuLaunchKernel, and `words` are all its arguments but the last. It is called where the context that the
              function at `current` (cuCtxGetCurrent) gives is `context`, and Python launches elsewhere, and again where it fails.
              "range": it takes the address of `words`. The kernel has run when it returns, with 0 or after a fault.
    fault     the fault, asked for on the thread whose call has failed; None where Python launches again
    """

    kind: Literal["grid", "range"]
    address: int
    words: tuple[int, ...]
    current: int = 0
    context: int = 0
    fault: Callable[[], DriverError] | None = None


class Function(Protocol):
    """A kernel in a loaded module.

    registers           of a work-item; None where nobody counts them, and private_size is not known then
    spills              None where the compiler does not tell
    max_global_size     the largest global size that the kernel can be launched with; None where nothing
                        bounds it
    """

    max_work_group_size: int
    local_size: int
    private_size: int

    @property
    def registers(self) -> int | None: ...
    @property
    def spills(self) -> Spills | None: ...
    @property
    def occupancy(self) -> Callable[[Triple, int], float] | None:
        """For a work-group's size and bytes of dynamic local memory: the part, from 0 to 1, of the work-items that a compute unit can
        hold which can be there at a time. None where that is no question."""

    @property
    def max_global_size(self) -> Triple | None: ...

    def prepare(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                dynamic_local: int, parameters: int) -> Callable[[], None]:
        """A callable that runs the kernel each time it is called. What does not change between launches is
        done beforehand. `parameters` is the address of an array of pointers, one for each parameter of the
        kernel in order (CUDA's own convention, `void **kernelParams`); each launch reads the values anew, and
        has read all of them when it returns. `dynamic_local` is the bytes of dynamic shared memory. Any
        global size goes, also one that the local size does not divide (the last work-groups are smaller
        then). Stream and function stay open as long as the callable is used."""

    def native_launch(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                      dynamic_local: int, parameters: int) -> NativeLaunch | None:
        """What `prepare` prepares, for native code; None where a launch is more than one call."""


class Graph(Protocol):
    """Recorded commands as one object of the driver's. Launches of one graph never run at the same time."""

    def launch(self, stream: Stream) -> None: ...
    def close(self) -> None: ...


# A command to record: what issues it into a stream, and the places of the commands that it comes after.
Recorded = tuple[Callable[[Stream], object], tuple[int, ...]]


class Module(Protocol):
    def function(self, kernel: KernelInfo) -> Function: ...
    def variable(self, variable: VariableInfo) -> int:
        """The address of a variable of program scope; 0 where no kernel needed it."""

    def unload(self) -> None: ...


class ImportedMemory(Protocol):
    """Memory that another API exported, at `address` of the device."""

    address: int

    def close(self) -> None: ...


class ImportedSemaphore(Protocol):
    """A semaphore that another API exported."""

    def signal(self, stream: Stream) -> None: ...
    def wait(self, stream: Stream) -> None: ...
    def close(self) -> None: ...


class PeerCopies(Protocol):
    """Copies between memories of devices of one driver, in a stream of one of the two, where they have their place as the stream's
    own copies have. Each end is a device and an address, or an image, of that device."""

    def reaches(self, other: DriverDevice) -> bool:
        """Whether there are such copies between this device and the other. Asked once the two are about to be used together."""
        ...

    def copy(self, stream: Stream, to: DriverDevice, destination: int, of: DriverDevice, source: int, size: int) -> None: ...
    def copy_rect(self, stream: Stream, to: DriverDevice, destination: int, destination_pitches: tuple[int, int],
                  of: DriverDevice, source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        """As `Stream.copy_rect`."""

    def copy_image(self, stream: Stream, to: DriverDevice, destination: Linear | ImagePart, of: DriverDevice,
                   source: Linear | ImagePart, region: Triple) -> None:
        """As `Stream.copy_image`."""


class SharedObject(Protocol[Shared]):
    """An object of OpenGL as memory of a device: an address, or an image. Commands use it between `acquire` and `release` only.
    `memory` is what it always is; None where each `acquire` says."""

    @property
    def memory(self) -> Shared | None: ...

    def acquire(self, stream: Stream) -> Shared:
        """The memory, for commands that come after it in the stream; it may be another one each time. What OpenGL has done by now is
        seen there."""
        ...

    def release(self, stream: Stream) -> Callable[[], None] | None:
        """What commands before it in the stream wrote goes to OpenGL: commands that the share group's context is given from now on
        see it. What it returns is to be called once all commands of now have ended."""
        ...

    def close(self) -> None:
        """No command uses it any more."""
        ...


class GraphicsSharing(Protocol):
    """Sharing with contexts of OpenGL, each known by a share group. An object that is not `written` stays as it is in OpenGL."""

    def refusal(self, group: ShareGroup) -> str:
        """Why the device cannot share the objects of this context; "" where it can."""
        ...

    def renders(self, group: ShareGroup) -> bool:
        """Whether the context's commands run on this device."""
        ...

    def buffer(self, group: ShareGroup, source: GlBuffer, written: bool) -> SharedObject[int]: ...

    def image(self, group: ShareGroup, source: GlImage, layout: ImageLayout, written: bool) -> SharedObject[DriverImage]:
        """`layout` is that of the one level."""
        ...


class CompiledKernel(NamedTuple):
    """A kernel of CUDA code. `code` are pieces of PTX or machine code, to be linked if there are several;
    `symbol` is the kernel's in them."""

    info: KernelInfo
    symbol: str
    code: tuple[bytes, ...]


class CudaCode(Protocol):
    """What a CUDA device tells and does beside, for CUDA code that was not translated.

    ordinal             CUDA's number of the device
    capability          CUDA's compute capability
    newest_compiler     the major version of CUDA whose code the installed NVIDIA driver loads
    """

    @property
    def ordinal(self) -> int: ...
    @property
    def capability(self) -> tuple[int, int]: ...
    @property
    def newest_compiler(self) -> int: ...

    def expect_printf(self) -> None:
        """Before the first launch of a kernel that prints: makes room for what it prints."""

    def with_kernels(self, binary: bytes, kernels: Sequence[CompiledKernel]) -> bytes:
        """What `load` takes for a compiled program (b"": for none) and these kernels, each a module of its
        own."""


class DriverDevice(Protocol):
    @property
    def properties(self) -> DeviceProperties: ...
    @property
    def lost(self) -> bool:
        """Whether it is known to do nothing more for this process, nor to give back what its memory holds."""

    # Memory

    def allocate(self, size: int) -> int: ...
    def free(self, address: int) -> None: ...
    def allocate_host(self, size: int) -> int:
        """Memory of the host that the device reaches fast (page-locked on CUDA)."""

    def free_host(self, address: int) -> None: ...
    def create_image(self, layout: ImageLayout, memory: Linear | None = None) -> DriverImage:
        """Only where `properties.images` is not None. With `memory`, a view of the device's memory there,
        without levels."""

    def allocate_shared(self, size: int) -> int:
        """Memory that host and device know by one address, aligned to 128 bytes; only where `shared_memory`
        says so."""

    def free_shared(self, address: int) -> None: ...
    def register_host(self, address: int, size: int) -> bool:
        """Makes memory of the application as fast for the device as `allocate_host`'s. False where that
        cannot be, or need not be."""

    def unregister_host(self, address: int) -> None: ...

    # Streams and programs

    def open_stream(self, hints: StreamHints = DEFAULT_HINTS) -> Stream: ...

    def compiler_identity(self, options: BuildOptions) -> str:
        """All that decides, beside the translation, what `compile` yields: compiler, version, flags,
        architecture."""

    def compile(self, translation: Translation, options: BuildOptions) -> bytes:
        """The translated program as bytes that `load` takes, also in another process. Raises BuildFailure."""

    def compiler_log(self, binary: bytes) -> str:
        """What the compiler said of a program that it took, where the options ask for that
        (-cl-nv-verbose)."""

    def load(self, binary: bytes) -> Module: ...

    @property
    def target(self) -> str:
        """The code that the device runs: a binary for another target is refused."""

    @property
    def compiler_spec(self) -> str | None:
        """What `compile_for(spec, translation, options)` of the driver needs to do the same as `compile` in a
        process without the device; None where builds of several threads run in parallel anyway."""

    # What only some devices can do

    @property
    def partition(self) -> Callable[[int], DriverDevice] | None:
        """Makes a device of its own with so many of this one's compute units, and all else of it."""

    @property
    def peer_copies(self) -> PeerCopies | None:
        """Copies between this device's memory and that of others of the driver. Where there are none, contents
        go through memory of `allocate_host`, in order with both devices' streams."""

    @property
    def record(self) -> Callable[[Stream, Sequence[Recorded]], Graph] | None:
        """Makes a graph of commands, for command-buffers."""

    @property
    def borrow_stream(self) -> Callable[[int], Stream] | None:
        """The stream of another library, by its handle."""

    @property
    def import_memory(self) -> Callable[[int, int], ImportedMemory] | None:
        """Makes memory of a file descriptor, which is the driver's from then on, and a size. `properties.extra` says which
        handles go, under `memory_handles`."""

    @property
    def import_semaphore(self) -> Callable[[int], ImportedSemaphore] | None:
        """Makes a semaphore of a file descriptor. `properties.extra` says which handles go, under `semaphore_handles`."""

    @property
    def graphics(self) -> GraphicsSharing | None:
        """Sharing with OpenGL."""

    @property
    def cuda_code(self) -> CudaCode | None:
        """What built-in kernels of CUDA code need, and the faces of libraries that use CUDA themselves."""

    @property
    def announce(self) -> Callable[[str], None] | None:
        """Debug mode: says what the next launch is, for a device whose fault may end the process. "" after
        the launch."""


class Driver(Protocol):
    """`absence` says why there are no devices, "" where there are some or nothing is known."""

    name: str

    @property
    def absence(self) -> str: ...

    def devices(self) -> Sequence[DriverDevice]:
        """The usable devices; [] where there are none. Never raises for a machine that merely lacks the
        hardware."""
