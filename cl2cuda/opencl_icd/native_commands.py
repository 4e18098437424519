"""What the library asks for the commands that it gives to a stream itself, and the objects of which Python has not heard yet
(driver/commands.c, driver/buffer_commands.c, driver/cores.c): a queue's stream, a buffer's memory, the events of such commands, and
buffers not yet used."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ..runtime.context.context import Context
from ..runtime.driver.interface import DriverError, EventFence, Fence, NativeStream, Stream, TimeBase, UnrecordedFences
from ..runtime.memory.buffer import Buffer, ImmutableBuffer
from ..runtime.memory.mapping import Mapping, list_region, strike_out
from ..runtime.memory.memory_object import HOST_ACCESS, MemoryObject
from ..runtime.memory.sampler import Sampler
from ..runtime.process import debug_mode
from ..runtime.queue import event as events
from ..runtime.queue.device_queue import DeviceQueue
from ..runtime.queue.event import CountedEvent, Event
from ..runtime.queue.out_of_order import OutOfOrderQueue
from ..runtime.queue.queue import CommandQueue
from ..runtime.queue.stream_timeline import SETTLED, QueueStream
from ..runtime.spec import codes
from . import application

if TYPE_CHECKING:
    from ..runtime.image.image import Image
    from ..runtime.image.kinds import SizedKind

    Maker = Callable[..., Image | None]

# struct stream and struct memory of driver/objects.h.
_QUEUE = struct.Struct("<3Q")
_STREAM = struct.Struct(f"<{len(NativeStream._fields)}Q")
_MEMORY = struct.Struct("<3Q")
_BARE_BUFFERS = struct.Struct("<2Q")
# struct known_contents of driver/maps.h, of what is no image or has no host's side.
_CONTENTS = struct.Struct("<17Q")
_NOWHERE, _NO_ARRAY = (0, 0, 0), (0,) * 10
_IN_PLACE, _AS_COPY, _AS_PAGEABLE_COPY = range(3)  # enum mapped_side of driver/maps.h
COLOR = 16  # bytes
_ALLOCATION = struct.Struct("<6Q")
_LIMITS = struct.Struct("<6Q")

# A stream whose commands are all Python's, also its flushes.
_NONE = _STREAM.pack(*NativeStream(query=0, flushes=True))

# Memory of buffers up to this size is taken when they are first used. Whoever looks for the end of the memory makes larger ones, and is
# told by clCreateBuffer where it is.
LARGEST_BARE_BUFFER = 1 << 20
# The most first contents that the library keeps of an image: Python copies them once more.
MOST_CONTENTS = 256 << 10


class Lane:
    """One of the streams of a queue out of order, to which the library gives commands as to a queue in order."""

    __slots__ = ("queue", "timeline")

    def __init__(self, queue: OutOfOrderQueue, timeline: QueueStream):
        self.queue = queue
        self.timeline = timeline

    @property
    def stream(self) -> Stream:
        return self.timeline.stream


def native_of(queue: CommandQueue | DeviceQueue | Lane) -> bytes:
    """The address of `QueueStream.native`, the queue's serial, whether it has lanes, and the stream as NativeStream has it. Only the serial
    of a queue on the device, in which nobody enqueues from here; of one out of order that, and whether it has lanes; and a stream of
    zeros where commands are Python's."""
    if isinstance(queue, DeviceQueue):
        return _QUEUE.pack(0, queue.serial, 0) + _NONE
    if isinstance(queue, OutOfOrderQueue):
        return _QUEUE.pack(0, queue.serial, queue.takes_native_code) + _NONE
    owner, timeline = _owner(queue), queue.timeline
    return _QUEUE.pack(timeline.open_to_native_code(), owner.serial, 0) + (timeline.native_stream or _NONE)


def lanes_of(queue: OutOfOrderQueue, known: int) -> tuple[Lane, ...]:
    """Those of the queue beside the first ones, which are known."""
    return tuple(Lane(queue, timeline) for timeline in queue.open_to_native_code()[known:])


def mark_of(queue: CommandQueue | Lane) -> int:
    """The CUDA event that streams wait for which come after one of the library's commands in the queue; the timeline keeps it."""
    timeline = queue.timeline
    if timeline.mark is None:
        made = queue.stream.fence(False)
        if timeline.mark is None:  # Else another thread has made one meanwhile, which the library knows.
            timeline.mark = made
    return cast(EventFence, timeline.mark).event


def watched_fences_of(queue: CommandQueue | Lane, count: int) -> tuple[tuple[Fence, ...], tuple[int, ...]]:
    """So many fences of the queue's stream, and their CUDA events, which the library has recorded anew behind commands with callbacks."""
    fences = tuple(cast(EventFence, queue.stream.fence(False)) for _ in range(count))
    return fences, tuple(fence.event for fence in fences)


def status_at_end(event: Event) -> int:
    """The status of the event's command once it has ended: CL_COMPLETE or a negative one."""
    return events.status_at_end(event)


def note_finished(queue: CommandQueue | DeviceQueue) -> None:
    """After clFinish: whether the next one can be the library's, as long as nobody has entered Python again."""
    if not isinstance(queue, DeviceQueue):
        queue.timeline.native[SETTLED] = queue.settled


def _owner(queue: CommandQueue | Lane) -> CommandQueue:
    return queue.queue if isinstance(queue, Lane) else queue


def event_of(queue: CommandQueue | Lane, number: int, command_type: int) -> Event:
    """The event of the library's command of this number in the queue, or one of its lanes."""
    owner, timeline = _owner(queue), queue.timeline
    return owner.event_type(owner, command_type, timeline, timeline.position_of_native_command(number))


class EndedFence:
    """A point that a stream of the host device has reached, by the library's clock."""

    __slots__ = ("_time",)

    def __init__(self, time: int):
        self._time = time

    def wait(self) -> None:
        pass

    def done(self) -> bool:
        return True

    def time_ns(self) -> int:
        return self._time


def fences_of(queue: CommandQueue | Lane, count: int) -> tuple[TimeBase, int, int, tuple[UnrecordedFences, ...]]:
    """For the times of so many commands of the library's: fences around them, what their times are counted from, its event, and the host's
    time up to which commands are."""
    stream = queue.stream
    base = stream.time_base()
    fences = [stream.timed_fences() for _ in range(count)]
    return base, base.event, base.until, tuple(each for each in fences if each is not None)


def base_time_of(base: TimeBase) -> int:
    return base.time_ns()


def timed_event_of(queue: CommandQueue | Lane, number: int, command_type: int, queued: int, start: int, end: int,
                   fences: UnrecordedFences | None, base: TimeBase | None) -> Event:
    """As `event_of`, of a command with times: by fences, which are counted from the base, or known ones."""
    timeline = queue.timeline
    event = CountedEvent(_owner(queue), command_type, timeline, timeline.position_of_native_command(number))
    begun, ended = queue.stream.counted_from(base, fences) if base and fences else (EndedFence(start), EndedFence(end))
    event.times, event.fence = (queued, queued, begun), ended
    return event


def memory_of(core: MemoryObject) -> bytes:
    """The address and size of a buffer that one device has where it always is, and which of CL_MEM_HOST_* it was made with; zeros for
    what Python has to look at each time, such as a buffer that nothing may write."""
    if not isinstance(core, Buffer) or isinstance(core, ImmutableBuffer) or not core.context.fixed_addresses:
        return bytes(_MEMORY.size)
    if core.offset % core.context.devices[0].properties.base_address_align:
        return bytes(_MEMORY.size)  # CL_MISALIGNED_SUB_BUFFER_OFFSET, with every command
    try:
        address = core.address
    except DriverError:  # There is no memory at its first use, as the command will say.
        return bytes(_MEMORY.size)
    return _MEMORY.pack(address, core.size, core.flags & HOST_ACCESS)


def bare_buffers_of(context: Context) -> bytes:
    """The size up to which the library makes buffers that are no more than a size and flags until they are used, and what sub-buffers'
    places are multiples of."""
    return _BARE_BUFFERS.pack(min(LARGEST_BARE_BUFFER, context.max_allocation), context.least_address_align)


def buffer_of(context: Context, flags: int, size: int, first: bytes | None) -> Buffer:
    """The buffer that the library has made, at its first use, and its first contents where the flags ask for some."""
    return Buffer(context, flags, size, first)


def part_of(buffer: Buffer, flags: int, origin: int, size: int) -> Buffer:
    """The sub-buffer that the library has made, at its first use."""
    return buffer.sub_buffer(flags, origin, size)


def may_begin_bare(core: MemoryObject | Sampler | CommandQueue | DeviceQueue | Event) -> bool:
    """Whether others that are made like this one are no more than what they were asked for with until they are used: its making has taken
    no memory, and gives another object each time. Of images whose sizes are no part of the description `sizes_of` says that."""
    if isinstance(core, MemoryObject):
        from ..runtime.image.image import Image  # which programs without images do not need

        if not isinstance(core, Image):
            return False
        return core.context.one_device if isinstance(core.parent, Buffer) else core.kind is not None
    return not isinstance(core, DeviceQueue)


def sizes_of(image: Image) -> bytes:
    """Which sizes others like this image may have, to be no more than what they were asked for with until they are used (struct size_limits
    of runtime/native/image_sizes.h); zeros where the library does not keep what those are to contain, or their memory is not taken then."""
    from ..runtime.image.kinds import sized_kind

    kind = sized_kind(image)
    if kind is None:
        return bytes(_LIMITS.size)
    most = MOST_CONTENTS if image.flags & codes.MEM_COPY_HOST_PTR else kind.most_bytes
    return _LIMITS.pack(kind.element_size, most, *kind.most)


def maker_of(core: MemoryObject | Sampler | CommandQueue | DeviceQueue | Event) -> Maker | None:
    """What makes others of the same description in a context without looking at that again, each with the first contents at an address, if
    it has some, and an image's sizes; None where the entry point has to."""
    if not isinstance(core, MemoryObject) or isinstance(core, Buffer) or application.remembered(core):
        return None
    from ..runtime.image.image import Image  # which programs without images do not need
    from ..runtime.image.kinds import sized_kind

    kind = sized_kind(core) if isinstance(core, Image) else None
    return kind and functools.partial(_image_of_sizes, kind)


def _image_of_sizes(kind: SizedKind, context: Context, address: int, *sizes: int) -> Image | None:
    """None where there is no room for a copy of the contents until the image is used, which the entry point then writes at once."""
    from ..runtime.image.image import Image

    image = Image.of_kind(context, kind.of(*sizes))
    if address:
        first = context.snapshots.copy_of(address, image.layout.bytes)
        if first is None:
            return None
        image.first = first
    return image


def arrays_of(core: MemoryObject) -> bytes:
    """What the library makes the arrays by of other images that are like this one but for their sizes, at their first use; nothing where
    Python makes them."""
    from ..runtime.image.image import Image

    return core.native_kind() if isinstance(core, Image) else b""


def adopt_array(image: Image, handles: tuple[int, ...]) -> None:
    """An image of which Python has not heard before has its memory, which the library has made: the handles of CUDA's objects."""
    images = image.context.devices[0].driver_device.native_images
    assert images is not None
    image.adopt(images.adopted(image.layout, handles))


def disown_array(image: Image) -> None:
    """Another object has it."""
    image.disown()


def retire_arrays(context: Context, address: int, size: int) -> None:
    """Has the library end arrays of so many bytes that are no image's any more, once no command uses them. It knows them by the address."""
    images = context.devices[0].driver_device.native_images
    assert images is not None
    end = functools.partial(images.end, functools.partial(application.end_arrays, address))
    context.retire(context.freeing_device(context.devices[0]), end, size)
    context.reclaim()


def buffers_may_return(context: Context) -> bool:
    """Whether a buffer that was released may become a new one of the context, as long as it has one queue at most: the commands that the
    library has given have ended on the host's devices, and come before all later ones else. The next queue is to come after them
    (`only_queue`)."""
    if debug_mode.active() or not context.fixed_addresses:
        return False
    return context.devices[0].host_addressable or context.only_queue() is not None


def contents_of(core: MemoryObject) -> bytes:
    """What maps of a memory object, and an image's commands, go by (struct known_contents of driver/maps.h): how many regions of it are
    mapped; which side mapped memory is, how many maps are left until it is page-locked, and where it is, if that is known; and an image's
    format and facts. Nothing of one that there is no memory for at its first use, as the command will say."""
    try:
        return _contents_of(core)
    except DriverError:
        return b""


def _contents_of(core: MemoryObject) -> bytes:
    side, maps_left, host = _host_side(core)
    image_format, facts = 0, _NO_ARRAY
    if not isinstance(core, Buffer):
        from ..runtime.image.image import Image  # which programs without images do not need

        found = core.array_facts() if isinstance(core, Image) else None
        if found is None:
            host = _NOWHERE
        else:
            assert isinstance(core, Image)
            facts = (found.array, found.flags, found.element_size, *found.sides, *found.rows, found.has_planes)
            # Of a depth image a colour is one number.
            image_format = 0 if core.format.is_depth else core.format.order.code << 32 | core.format.type.code
    return _CONTENTS.pack(core.map_count, side, maps_left, *host, image_format, *facts)


def _host_side(core: MemoryObject) -> tuple[int, int, tuple[int, int, int]]:
    """Which side mapped memory is, the address of the word that says how many maps are left until it is page-locked, and where it is: where
    maps are Python's, nowhere."""
    if core.parent is not None or not core.context.fixed_addresses:
        return _IN_PLACE, 0, _NOWHERE
    storage: Any = core.used_storage() if isinstance(core, Buffer) else core.used_elements()  # type: ignore[attr-defined]
    shadow = storage.shadow
    if shadow is None:
        if storage.copies or not core.context.devices[0].host_addressable:
            return _IN_PLACE, 0, _NOWHERE
        return _IN_PLACE, 0, (storage.memory, 0, 0) if isinstance(core, Buffer) else storage.memory.linear(0) or _NOWHERE
    if isinstance(core, Buffer):
        left = 0 if storage.maps_left is None else ctypes.addressof(storage.maps_left)
        return _AS_PAGEABLE_COPY if shadow.give_back is None else _AS_COPY, left, (shadow.address, 0, 0)
    return (_IN_PLACE, 0, _NOWHERE) if shadow.give_back is None else (_AS_COPY, 0, storage.rows or _NOWHERE)


def note_mapped(core: Any, address: int, flags: int, at: tuple[int, int, int], size: tuple[int, int, int]) -> None:
    """Lists a region that the library has mapped: of a buffer, bytes."""
    if isinstance(core, Buffer):
        list_region(core.mappings, address, Mapping(at[0], size[0], flags, core.used_storage().copies))
        return
    from ..runtime.image.region import Region

    region = Region(0, at, size)
    list_region(core.mappings, address, core.mapping(region, core.host_side(region), flags))


def note_unmapped(core: Any, address: int, flags: int, at: tuple[int, int, int], size: tuple[int, int, int]) -> None:
    """Strikes it out again: it was not mapped after all."""
    strike_out(core.mappings, address)


def element_of(core: Any, color: int) -> bytes:
    """The element of an image that holds the colour at the address."""
    from ..runtime.driver.image_colors import element_of

    return element_of("clEnqueueFillImage", core.format, application.read(color, COLOR))


def allocation_of(context: Context, address: int) -> bytes:
    """Where the counts are of the context's shared virtual memory that was freed, and made; the start and end of the allocation that the
    address is in, or of what lies around it between allocations; which of both; and the count as long as which that holds: as it was before
    the look, which other threads may free or make some after."""
    shared = context.svm
    freed, made = shared.freed.value, shared.made.value
    found = shared.find(address)
    ends = shared.around(address) if found is None else (found.address, found.end)
    count = made if found is None else freed
    return _ALLOCATION.pack(ctypes.addressof(shared.freed), ctypes.addressof(shared.made), *ends, found is not None, count)


def note_shared_mapped(context: Context, address: int, size: int, flags: int) -> None:
    """Lists a region of shared virtual memory that the library has mapped."""
    list_region(context.svm.mapped, address, (size, flags))
