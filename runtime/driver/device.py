"""What a driver's devices do: programs that are compiled, loaded and launched, and what only some devices can.

`runtime/cuda` (CuPy, NVRTC), `runtime/host` (the machine's C++ compiler) and `runtime/remote` fill it. What only some drivers can do is
an attribute all the same, which is None where it cannot be done. Streams, images and errors are `interface`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

from .interface import DEFAULT_HINTS, DriverError, DriverImage, ImagePart, Linear, Stream, StreamHints, Triple

if TYPE_CHECKING:
    from ...translator import Translation
    from ...translator.ir.kernel_info import KernelInfo, VariableInfo
    from ...translator.options import BuildOptions
    from ..opengl.objects import GlBuffer, GlImage
    from ..opengl.share_group import ShareGroup
    from .image_layout import ImageLayout
    from .properties import DeviceProperties
    from .unfinished_code import UnfinishedCode

Shared = TypeVar("Shared", covariant=True)


class Spills(NamedTuple):
    """Bytes that a work-item stores and loads since they did not fit into registers, as the compiler wrote the code (a loop
    runs it more often)."""

    stores: int
    loads: int


class NativeLaunch(NamedTuple):
    """A prepared launch as native code makes it, without Python, as often as it is wanted: one call at `address`.

    kind      "grid": it is cuLaunchKernel, and `words` are all its arguments but the last. It is called where the context that the
              function at `current` (cuCtxGetCurrent) gives is `context`, and Python launches elsewhere, and again where it fails.
              "dependent grid": the same, but it is cuLaunchKernelEx, for a kernel that waits for the grid before it.
              "recorded grid": as "grid", of a kernel that reads `record` at the last of the words, whose turns (struct turn of
              runtime/native/turn.h) are at the last but one. The record begins with the offset, three numbers of eight bytes: launches
              with others need no other NativeLaunch.
              "range": it takes the address of `words`. The kernel has run when it returns, with 0 or after a fault.
    fault     the fault, asked for on the thread whose call has failed; None where Python launches again
    """

    kind: Literal["grid", "dependent grid", "recorded grid", "range"]
    address: int
    words: tuple[int, ...]
    current: int = 0
    context: int = 0
    fault: Callable[[], DriverError] | None = None
    record: bytes = b""


class Function(Protocol):
    """A kernel in a loaded module.

    registers           of a work-item; None where nobody counts them, and private_size is not known then
    spills              None where the compiler does not tell
    max_global_size     the largest global size that the kernel can be launched with; None where nothing
                        bounds it
    rounds              its launches over sizes that the work-groups do not divide in the first dimension alone are like others: it cannot
                        tell how it is grouped
    handles_by_surplus  what native code launches where groups divide the size, and where they do not so; 0, 0 where Python is to look
    max_plain_dynamic_local     bytes of dynamic local memory up to which launches differ by nothing else than these; 0 where none do
    """

    max_work_group_size: int
    local_size: int
    private_size: int
    rounds: bool
    handles_by_surplus: tuple[int, int]
    max_plain_dynamic_local: int

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
        then). Stream and function stay open as long as the callable is used.

        Where it looks at the images of each launch, `now()` is what serves as long as they ask for the same (`image_argument.asks_for`)
        as those that the parameters have when it is called."""

    def native_launch(self, stream: Stream, work_dim: int, global_size: Triple, local_size: Triple, offset: Triple,
                      dynamic_local: int, parameters: int) -> NativeLaunch | None:
        """What `prepare` prepares, for native code and images as those of now; None where a launch is more than one call."""


class Graph(Protocol):
    """Recorded commands as one object of the driver's. Launches of one graph never run at the same time."""

    def launch(self, stream: Stream) -> None: ...
    def change(self, stream: Stream, changes: Sequence[tuple[int, Callable[[Stream], object]]]) -> bool:
        """Later launches have these commands at their places, those of before have not. False where that takes another graph: then
        nothing has changed. `stream` is what they are recorded by. Where it raises, the graph may not be launched any more."""

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


class NativeImages(Protocol):
    """Images that native code makes by itself."""

    def kind(self, layout: ImageLayout, flags: int, stream: int) -> bytes:
        """What it makes images by that are like one of the layout but for their sizes, and have these flags (struct image_kind of
        runtime/native/image_arrays.h). By the stream they get their first contents."""
        ...

    def adopted(self, layout: ImageLayout, handles: Sequence[int]) -> DriverImage:
        """One that it has made: the handles of its array, of its surface, or 0, and of its textures."""
        ...

    def end(self, destroy: Callable[[], None]) -> None:
        """Calls native code's function that destroys some, unless the process ends."""


class SharedObject(Protocol[Shared]):
    """An object of OpenGL as memory of a device: an address, or an image. Commands use it between `acquire` and `release` only.
    `memory` is what it always is; None where each `acquire` says.

    ordered   on a thread where the application's context is current, `acquire` comes after what that context was given before, and
              `release` before what it is given later, with nothing that the caller does
    """

    ordered: bool

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
    @property
    def rounds_sizes(self) -> bool:
        """Whether `allocate` gives as many bytes as `block_size.rounded` says, but in debug mode."""

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

    def compiler_start(self) -> AbstractContextManager[object]:
        """Loads what `compile` is going to need beside the block, in which a program is translated first."""

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
    def begin_compiling(self) -> Callable[[Translation, BuildOptions], UnfinishedCode] | None:
        """Begins what `compile` does, where the compiler works beside the host."""

    @property
    def partition(self) -> Callable[[int], DriverDevice] | None:
        """Makes a device of its own with so many of this one's compute units, and all else of it."""

    @property
    def peer_copies(self) -> PeerCopies | None:
        """Copies between this device's memory and that of others of the driver. Where there are none, contents
        go through memory of `allocate_host`, in order with both devices' streams."""

    @property
    def native_images(self) -> NativeImages | None:
        """None where all images are made by `create_image`."""

    @property
    def record(self) -> Callable[[Stream, Sequence[Recorded]], Graph] | None:
        """Makes a graph of commands, for command-buffers."""

    @property
    def borrow_stream(self) -> Callable[[int], Stream] | None:
        """The stream of another library, by its handle."""

    @property
    def keeping_current(self) -> Callable[[], AbstractContextManager[object]] | None:
        """`with keeping_current(): ...` for what a thread does not know that it does, or does for another library: what that finds there of
        the driver's, CUDA's current context, is afterwards what it was before."""

    @property
    def make_ready(self) -> Callable[[], None] | None:
        """Does now what the device's first use would have to wait for, and leaves current on the thread what was. None where that is
        nothing."""

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
