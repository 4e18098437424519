"""The interface that every driver fills: its errors, values, images and streams. `device` has the rest of it.

A driver knows memory, streams, modules and launches, and nothing of OpenCL's objects, errors or rules: those
are checked above it. Addresses are plain integers; sizes are bytes; a triple is (x, y, z) padded with 1
(sizes) or 0 (offsets).

A driver is given no objects but those that it made: a stream's fence goes to a stream of the same driver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from .linear import Linear, Triple

if TYPE_CHECKING:
    from .image_formats import ImageFormat
    from .image_layout import ImageLayout

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


class DriverImage(Protocol):
    """An image's elements on a device, in its own memory or in that of a buffer."""

    layout: ImageLayout

    @property
    def array(self) -> int:
        """CUDA's of an image of one level, for native code; else 0."""

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


class EventFence(Fence, Protocol):
    """One of a stream whose NativeStream has `record`: a CUDA event."""

    event: int


# And the CUDA events of both.
UnrecordedFences = tuple[Fence, Fence, int, int]


class TimeBase(Protocol):
    """A CUDA event that times are counted from, of events that are recorded after it and before the host's time `until`."""

    event: int
    until: int

    def time_ns(self) -> int:
        """When it was reached, as `Fence.time_ns`; waits for it."""


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
    staging     page-locked memory of the stream's own, for copies between the device and pageable memory of at most `most_staged` bytes: a
                word that is 1 while a thread copies, and the contents from byte STAGED on; 0 where there is none
    attributes  cuPointerGetAttributes
    read_staged   f(pool, host, memory, size, handle, poll_ns), which returns when the contents are there: for pageable memory, of
                `least_read` bytes and more. What is less than that the caller may wait for in a call of `read`.
    write_staged  f(pool, memory, host, size, handle, poll_ns), which returns when the host's memory has been read: likewise, with
                `least_written`. Less pageable memory than that has been read when a call of `write` returns, which may come late.
                Where `pool` is 0, larger copies are Python's.
    write_unwaited  f(pool, memory, host, size, handle), for at most `most_unwaited` bytes of pageable memory, which it has read when it
                returns, however much the stream has to do before: 0, or not a status where nothing was done, for lack of slots
    copy_3d     f(CUDA_MEMCPY3D, handle)
    scratch     memory on the device for commands of native code: words that say whether one has it, where it is, and how large
    copy_any    f(to, from, size, handle), of memory of any kind: shared with the host, the host's own
    prefetch    f(address, size, device, handle): brings pages of shared memory to the device of that number; 0 where they stay where they
                are. To the host fewer bytes than `few_pages` come by themselves.
    elapsed     cuEventElapsedTime
    query_event   f(event): 0 where its last record was reached, else as `query`; 0 where there is none, or `record` is 0
    graphs      struct stream_graphs (runtime/native/graphs.h), by which timed commands are one with their events; 0 where they are not
    launch      cuLaunchKernel
    fill_kernel   the address of a word: the kernel that fills with wide patterns (cuda/own_kernels.py), 0 as long as Python was not
                asked for it, and 1 where there is none
    copy_kernel   the address of a word: likewise, the kernel that copies little between shared and page-locked memory
    write_value   f(handle, address, value, flags): when the stream comes to it, it writes 4 bytes into page-locked memory, after all that
                it has done before is seen there
    read_box, write_box   f(NativeStream, struct array, struct box, struct linear, waits) (runtime/native/boxes.h): copies between an
                image's array and the host's rows, which give an `enum outcome` (runtime/native/stream_copies.h)
    write_parts   f(NativeStream, memory, host, size), likewise: pageable memory of the host's to the device, as far as the page-locked
                memory beside `scratch` has room
    due_pages   struct due_pages (runtime/native/due_pages.h), where pages that the device is to get back wait until it needs
                them; 0 where it gets them at once
    set_current f(context), cuCtxSetCurrent, where native code may go from one device's context to another's; 0 where it may not
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
    pool: int = 0
    read_staged: int = 0
    write_staged: int = 0
    least_read: int = 0
    least_written: int = 0
    elapsed: int = 0
    graphs: int = 0
    write_unwaited: int = 0
    most_unwaited: int = 0
    copy_3d: int = 0
    scratch: int = 0
    copy_any: int = 0
    prefetch: int = 0
    device: int = 0
    few_pages: int = 0
    query_event: int = 0
    launch: int = 0
    fill_kernel: int = 0
    copy_kernel: int = 0
    write_value: int = 0
    read_box: int = 0
    write_box: int = 0
    write_parts: int = 0
    set_current: int = 0
    due_pages: int = 0


STAGED = 64


class Stream(Protocol):
    """Commands in order. A call may return before the device has done the work; `host` memory must live until
    then.

    immediate   a command has ended when its call returns; several threads may call then, and their commands
                run side by side
    handle      CUDA's handle of the stream, for other libraries; 0 on devices that have no streams of CUDA's
    brief_copy  a copy of so many bytes at most keeps the calling thread no longer than to have another one do it would, where
                all has ended that the stream was given
    fails_apart a command may fail, or be left out, and later ones run
    conditional a thread has had commands wait for what may fail: `end_command` is to follow the last of them
    """

    immediate: bool
    handle: int
    brief_copy: int
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
    def timed_copy(self, kind: CopyKind, destination: int, source: int, size: int) -> tuple[Fence, Fence] | None:
        """The same as `copy` between two fences that tell the device's time alone, if the driver can do so; the host's side is done with
        when the call returns."""

    def timed_fences(self) -> UnrecordedFences | None:
        """Two that tell times, which native code is to have recorded, before a command and after it; None where it cannot."""

    def time_base(self) -> TimeBase:
        """What the times are counted from of fences that are recorded now; only where there are `timed_fences`."""

    def counted_from(self, base: TimeBase, fences: UnrecordedFences) -> tuple[Fence, Fence]:
        """The fences, which native code has had recorded while the base was the one to count from."""

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
