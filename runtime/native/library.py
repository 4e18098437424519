"""The compiled calls of this room: where they are, and what they are for those who use them."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, cast

from ..process import environment

HERE = Path(__file__).resolve().parent
NAME = "_calls.abi3.so"
COMPILES_THEM = "python -m cl2cuda.runtime.native.build"
F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class NativeLaunch(Protocol):
    """A plan."""

    def __call__(self) -> None: ...

    def timed(self, begun: int, ended: int, /) -> bool:
        """Launches, if that can be between the two CUDA events as one, whether it has."""


class FrozenLaunch(NativeLaunch, Protocol):
    """A plan with parameters of its own."""

    def parameters(self) -> int:
        """Their address, as long as there is the plan."""


class NativeResident(Protocol):
    """Contents as code in C knows them (residents.h)."""

    def end(self, waits: bool, /) -> list[tuple[Any, int]]:
        """No command takes it any more: with `waits` until those that may write are with their streams. Returns the last of them, as
        timelines and positions."""

    def is_used(self) -> bool:
        """A command that takes it is being given to its stream."""


class NativeLaunching(Protocol):
    """cuLaunchKernel for one device, by one thread or by several, with the rules of cuda/launching.py."""

    def prepared(self, words: tuple[int, ...], is_dependent: bool, failed: Callable[[int], None], pages: int, /) -> NativeLaunch:
        """A plan. `words` are all of cuLaunchKernel's arguments but the last; `is_dependent` if the kernel waits for the grid before it
        (cuda/dependent_launch.py); `failed` is called with CUDA's status where that is not 0; `pages` is where pages wait that the device
        is to have before (due_pages.h), or 0."""

    def recorded(self, words: tuple[int, ...], turns: int, place: int, record: bytes, again: Callable[[], None], /) -> NativeLaunch:
        """The plan of a grid that reads the record at the place on the device (turn.h): in C where it is its stream's turn, else by
        `again`, as where the plan itself is called."""


class NativeStaging(Protocol):
    """What copies between a device and pageable memory go through (staging.h): its slots and, of the process, the threads that help."""

    def add(self, memory: int, events: tuple[int, ...], /) -> bool:
        """STAGING_ADDED slots more of STAGING_SLOT bytes each, with an event for each; False where there are to be no more."""

    def copy(self, to_device: bool, host: int, memory: int, size: int, stream: int, poll_ns: int, may_add: bool, /) -> int:
        """CUDA's status, STAGING_ADDS where slots are to be added first, unless `may_add` is false, or STAGING_FULL where none is free."""

    def free_slots(self) -> int: ...

    def words(self) -> tuple[int, int, int, int]:
        """`pool`, `read_staged`, `write_staged` and `write_unwaited` of a NativeStream."""


# As arguments.c has them: what of an argument is written, and what must be so of arrays: contiguous, of no other queue, and all after their
# events.
PARTS = {"": 0, "base_data": 1, "offset": 2}
ASKED = {"flags": 1, "queue": 2, "events": 4}

# As staging.h has them.
STAGING_SLOT, STAGING_ADDED, STAGING_ADDS, STAGING_FULL = 256 << 10, 16, -1, -2


class Calls(Protocol):
    def target(self, serial: int, event_type: type, timeline: Any, next_position: Callable[[], int], words: int,
               stream: bytes | None, is_unordered: bool, device: object, /) -> object:
        """What launches, copies and markers look at of a command-queue in order, whose stream does not fail apart, or of a stream of one
        that is out of order; `words` is the address of the timeline's `native`, `stream` the words of a NativeStream: without them copies
        are Python's. `device` is the queue's where memory objects may be on several (memory/resident.py), else None."""

    def resident(self, device: object, memory: int, may_write: bool, /) -> NativeResident:
        """Contents that are on the device at the address, whole and with nothing to wait for; `may_write` where nobody has any of them
        elsewhere."""

    def resident_launch(self, plan: Callable[[], None], again: Callable[[], None], inner: Callable[[], None], buffers: dict[int, Any],
                        keep: object, values: tuple[int, int, int], arguments: tuple[tuple[int, int, bool], ...], /) -> NativeLaunch | None:
        """The plan as one of a context of several devices, which code in C launches where all memory objects are resident, and Python by
        `again` elsewhere, by way of the plan `inner`; None where it is no plan that code in C can launch so. `buffers` are the
        ArgumentValues', weak references by index; `values` are the address of what the plan reads, that of the values of now, and their
        bytes; `arguments` has each index with the address of the pointer that the plan reads, and whether the kernel may write there.
        `keep` lives as long."""

    def launching(self, addresses: tuple[int, int], held: int, let_go: int, waited_ns: int, graphs: tuple[int, ...], /) -> NativeLaunching:
        """`addresses` are cuLaunchKernel's and cuLaunchKernelEx's, which may be 0; then come HELD, LET_GO and WAITED_NS of
        cuda/launching.py, and the addresses of its GRAPH_CALLS, or none: then timed launches are no graphs."""

    def staging(self, functions: tuple[int, ...], helpers: int, all_helpers: int, /) -> NativeStaging:
        """`functions` are the addresses of STAGING_CALLS (cuda/api.py); so many threads help with one copy, and with all copies of the
        process."""

    def packing(self, places: tuple[tuple[int, int, int, str, int, int], ...], setters: tuple[Callable[[Any], None] | None, ...],
                unset: set[int], buffer_type: type, context: object, block: object, asked: bytes, takes_any_address: bool,
                noted: tuple[dict[int, Any], set[int]] | None, image_keys: tuple[object, ...], /) -> object:
        """A kernel's arguments for `caller`: `places` are ArgumentValues.plain_places, in the memory of `block`, each with a number's
        format in the module struct, or a space where it must be NumPy's, the index of a call's argument, and the part of it that is
        meant, by PARTS; images, and what has no place there, have one of the `setters`, and images the key by which they keep what
        they are given as, in `image_keys`. `asked` has a byte for each argument of a call, by ASKED, or
        none where no argument is an array. They are written only while `unset` is empty, buffers if they are of that type and
        context, shared virtual memory if it is of the context, or with `takes_any_address`. In a context of several devices `noted` are
        an ArgumentBlock's `buffers`, where they are noted, and its `system_pointers`: with one of those, or for shared virtual memory,
        all is Python's."""

    def numbers(self, *types: tuple[type, int, str]) -> None:
        """The types of numbers whose objects have their value, of that size and format, behind the head that all objects have."""

    def caller(self, kernel_type: type, /) -> Callable[..., Any]:
        """A `__call__` for kernels: by `_packing` where that takes the arguments, else by their method `_call_in_python`."""

    def argument_setter(self, kernel_type: type, /) -> Callable[..., Any]:
        """A `set_arg` for kernels: by `_packing` where that takes the argument, else by their method `_argument_in_python`."""

    def arguments_setter(self, kernel_type: type, /) -> Callable[..., Any]:
        """A `set_args` for kernels: likewise, where all are taken, else by their method `_arguments_in_python`."""

    def forget_pointers(self) -> None:
        """Pointers into allocations of shared virtual memory are looked for anew."""

    def know(self, name: str, known: object, /) -> None:
        """For the function `know`."""

    def slots(self, kind: type, offsets: tuple[tuple[str, int], ...], /) -> int:
        """For the function `know_slots`: attributes in slots of the class's own objects, each with its bytes from the start. Returns for
        how many more there is room then."""

    def command(self, name: str, function: F, event_type: type | None, command_type: int, module: str, /) -> F:
        """PyOpenCL's function of that name: copies and fills on the device, of rectangles and images that are arrays, too, markers, copies
        that the caller waits for, and small ones, of rectangles too, that CUDA has taken when its call returns, take no steps of
        Python's in queues that are plain. `function` makes all others, and large ones of page-locked memory.
        `event_type` is the class that stands for the runtime's events, in `_core`, and where the host takes part keeps its memory alive in
        `_ward`; None returns the runtime's own, whose callers keep the memory."""

    def timed_copy(self, graphs: int, kind: int, destination: int, source: int, size: int, begun: int, ended: int, stream: int, /) -> bool:
        """Gives CUDA's stream a copy between the records of two events, as one graph, if it can; whether it has. `graphs` is the address
        of the stream's struct stream_graphs (graphs.h), `kind` one of its enum copy_kind; the host's memory is page-locked."""

    def memory_methods(self, buffer: type, memory_object: type, /) -> tuple[Callable[..., Any], ...]:
        """Methods of PyOpenCL's Buffer: `__init__` and `get_sub_region`, and of MemoryObject: `release`. Buffers that begin bare, whole
        parts of them, and the release of buffers and images take no steps of Python's; all else is left to the methods `_make_in_python`,
        `_part_in_python` and `_release_in_python`. Code in C keeps the classes."""

    def memory_queries(self, holder: type, answers: dict[int, Any], /) -> Callable[..., Any]:
        """A `get_info` for MemoryObjectHolder: by the code, a number, the name of the runtime object's attribute that is one or a text, or
        a tuple of names, from object to attribute; a class at its end is that of a handle for the last one, and a function in a tuple
        makes something of it. Else what the method `_query_in_python` answers."""

    def textures(self, create: int, resource: int, descriptors: tuple[int, ...], /) -> tuple[int, tuple[int, ...]]:
        """cuTexObjectCreate, whose address `create` is, for each of the descriptors, of which and of the resource the addresses are given:
        its status, and the textures that were made until then."""

    def image_queries(self, image: type, answers: dict[int, Any], /) -> Callable[..., Any]:
        """The same for `get_image_info`, and `_image_query_in_python`; before, what the dictionary `answers` of the runtime's object has
        for the code, of a format a copy."""

    def kernel_queries(self, kernel: type, answers: dict[int, Any], /) -> Callable[..., Any]:
        """The same for the `get_info` of kernels."""

    def queue_queries(self, queue: type, answers: dict[int, Any], /) -> Callable[..., Any]:
        """The same for that of queues."""

    def staying_queries(self, answering: type, /) -> Callable[..., Any]:
        """A `get_info` for handles: what the dictionary `answers` of the runtime's object has for the code, a copy if that is a list. Else
        what the method `_query_in_python` answers, which puts it there."""

    def event_queries(self, face: type, answers: dict[int, Any], complete: int, /) -> Callable[..., Any]:
        """The same for events, whose `status` is `complete` where the command is known to have ended."""

    def same(self) -> type:
        """A base class for handles: two are equal that have the same object in `_core`."""

    def pointers(self, handle: type, /) -> Any:
        """The attribute `int_ptr` of handles: `_pointer`, where that is the address of their object, else `_pointer_in_python`."""

    def structure_attribute(self, in_python: Any, slot: str, kind: str, /) -> Any:
        """The attribute `in_python` of a structure, whose value is in the slot; it is put there where it is plain, of the kind "number",
        "shape" or "pitches", as ImageDescriptor has them (its shape tells `_array_size`, too)."""

    def image_maker(self, in_python: F, descriptor: type, image_format: type, module: str, /) -> F:
        """PyOpenCL's Image._custom_init: `in_python`, but for images of a descriptor that begin bare, of a kind that the context knows.
        The classes are PyOpenCL's."""

    def queue_maker(self, face: type, /) -> Callable[..., Any]:
        """An `__init__` for PyOpenCL's CommandQueue: queues of a context of one device, of a bit field that it has had a queue of, get the
        timeline of one that has gone; the method `_make_in_python` makes all others."""

    def queue_dropper(self, queue: type, /) -> Callable[..., Any]:
        """A `__del__` for the runtime's CommandQueue: a timeline that has nothing left to do rests for the next queue; the method
        `_let_go_in_python` does the rest."""

    def storage_from_first_use(self, in_python: Any, storage_class: type, trace: Any, /) -> Any:
        """The attribute `_storage` of buffers (memory/late.py): a new `storage_class`, with memory that the context has at hand, where it
        has some, nothing is to be put into it, and the module `trace` has no recorder; else what `in_python` gives."""

    def storage_dropper(self, storage: type, late: type, block: type, debug_mode: Any, limits: tuple[int, int, int, int, int],
                        /) -> Callable[..., Any]:
        """A `__del__` for BufferStorage: objects of the two classes of storage themselves leave their memory to the next buffers where the
        context has one queue, as StreamOrderedMemory's `give` does, which asks the module `debug_mode`, else as a `block` to the context's
        Reclaimer, as its `retire` does; the method `_let_go_in_python` does the rest. The first three of the numbers are `retire`'s, the
        others `give`'s."""

    def box_copies(self) -> tuple[int, int, int]:
        """`read_box`, `write_box` and `write_parts` of a NativeStream."""

    def move(self, to: int, start: int, size: int, /) -> object:
        """So many bytes of the host's memory, from one address to another, by several threads where they are many."""

    def own_argument(self, image: Any, states: int, /) -> bytes | None:
        """What a kernel is given for an image that begins bare and that it reads in these states of samplers, a bit for each of
        TEXTURE_STATES; the image's array is made at the first use, and its textures. None where all that is Python's."""

    def taken_over(self, own_array: Any, storage_of: Callable[[tuple[int, ...]], T], /) -> T:
        """The storage that `storage_of` makes of the handles of that array, of its surface, or 0, and of its textures. It is kept as long
        as commands in C that use the array."""
        ...

    def begins_with(self, image: Any, elements: Any, /) -> bool:
        """Whether an image that begins bare has elements of Python's: these, if it has had none yet. False where code in C has made its
        array."""
        ...

    def known_array(self, context: Any, image_format: Any, elements: Any, array: int, flags: int, element_size: int,
                    sides: tuple[int, int, int], memory: tuple[int, int, int], has_planes: bool, /) -> object:
        """What commands in C go by of an image: CUDA's array of it, which `elements` keep, or where `array` is 0 its rows in memory of the
        host's own, as Linear has them. `has_planes`: clEnqueueMapImage tells a slice pitch."""

    def pool_methods(self, pool: type, block: type, /) -> tuple[Callable[..., Any], ...]:
        """`allocate` for MemoryPool and `__del__` for PooledBuffer: blocks are taken from the bins and come back there; the methods
        `_allocate_in_python` and `_let_go_in_python` do the rest."""

    def shared_pool_methods(self, pool: type, block: type, /) -> tuple[Callable[..., Any], ...]:
        """`__call__` for SVMPool and `__del__` for PooledSVM: likewise, for blocks that no queue but the pool's is bound to."""

    def shared_maker(self, kind: type, /) -> Callable[..., Any]:
        """An `__init__` for SVM, which stands for the host's memory: the method `_make_in_python` for what has none that is writable."""

    def finisher(self, queue_type: type, /) -> Callable[..., Any]:
        """A `finish` for queues: the method `_finish_in_python` of those that are not plain, and where that takes long."""

    def flusher(self, queue_type: type, /) -> Callable[..., Any]:
        """A `flush` for queues: the method `_flush_in_python` of those that are not plain, or of which the driver says an error."""

    def waiter(self, event_type: type, /) -> Callable[..., Any]:
        """A `wait` for events: `_wait_in_python` of those that neither have ended nor are the last of their stream, and where that takes
        long."""

    def nanny_methods(self, event_type: type, /) -> tuple[Callable[..., Any], ...]:
        """`wait` and `__del__` of NannyEvent: it waits as `waiter`'s does, and before it goes while it has a `_ward`, in Python by the
        method `_let_go_in_python`."""

    def list_waiter(self, function: F, module: str, /) -> F:
        """PyOpenCL's wait_for_events, likewise: `function` for events that are not of one queue."""

    def frozen_launch(self, plan: Callable[[], None], parameters: tuple[int, int, int, int], failed: Callable[[int, int], None], /,
                      ) -> FrozenLaunch | None:
        """The same launch with the parameters of now, which `ArgumentValues.native_parameters` tells, and another function for failures,
        which is given the status and the address of the parameters; None where the plan is not one grid by `prepared`."""

    def range_launch(self, address: int, words: bytes, failed: Callable[[int], None], choose: int, pool: int, /) -> NativeLaunch:
        """A plan of the host device: one call of the function at the address with that of the words, by which the kernel has run. `failed`
        is called with what it returns where that is not 0, on the same thread. Where `choose` is not 0, the function there is called with
        the pool before, and with NULL after."""

    def enqueuer(self, function: F, event_type: type | None, command_type: int, prepare: Callable[[Any, Any, Any, Any], None], module: str,
                 /) -> F:
        """PyOpenCL's enqueue_nd_range_kernel: launches of prepared plans in queues that are plain, or take times beside, take no steps of
        Python's, `function` makes all others. `event_type` is as of `command`; `prepare`, called with the runtime's queue and kernel, the
        global and the local size, makes the plan. Without a type the function has clEnqueueNDRangeKernel's parameters, and takes the
        runtime's objects."""

    def mapper(self, function: F, event_type: type, command_type: int, types: tuple[type, type, Callable[[Any], Any]], module: str,
               /) -> F:
        """PyOpenCL's enqueue_map_buffer: `function` where the caller does not wait, the region is not the buffer's only one, or its memory
        neither page-locked by the driver nor the buffer's own, and in queues that are not plain. `types` are MemoryMap, and NumPy's
        dtype and asarray; the other arguments are `command`'s."""

    def image_mapper(self, function: F, event_type: type, command_type: int, types: tuple[type, type, Callable[[Any], Any]], module: str,
                     /) -> F:
        """PyOpenCL's enqueue_map_image, likewise."""

    def plain_mapper(self, function: F, command_type: int, module: str, /) -> F:
        """For the driver of programs in C, with the parameters of the function, which are (queue, buffer, flags, offset, size, wait list,
        whether the caller waits): the address and the event, as `mapper`'s maps; all else is left to the function."""

    def plain_image_mapper(self, function: F, command_type: int, module: str, /) -> F:
        """The same of an image's region: (queue, image, flags, origin, region, ...) gives the address, the event, and the pitches."""

    def plain_unmapper(self, function: F, command_type: int, module: str, /) -> F:
        """And (queue, memory object, address, wait list) the event, as `releaser`'s release."""

    def releaser(self, map_type: type, event_type: type, command_type: int, /) -> Callable[..., Any]:
        """A `release` for maps: the method `_release_in_python` where what was mapped is a copy that is not page-locked by the driver, or
        the queue not plain. The other arguments are `command`'s."""

    def user_events(self, face: type, context_type: type, status: int, /) -> tuple[Any, Any]:
        """`__init__` and `set_status` for the class of user events `face`, of contexts of this type: by `_begin_in_python` and
        `_set_in_python` where something is not plain. The runtime's events begin with `status`."""


@cache
def calls() -> Calls | None:
    """None where they were not compiled, are turned off, or this Python is one that does not load them."""
    # Other Pythons than CPython, and one without the interpreter's lock, do not load what is made for the stable ABI.
    if ".abi3.so" not in importlib.machinery.EXTENSION_SUFFIXES or environment.text("CL2CUDA_NATIVE_CALLS") == "0":
        return None
    place = HERE / NAME
    if not place.exists():
        cached = cached_place()
        if cached is None or not cached.exists():
            return None
        place = cached
    loader = importlib.machinery.ExtensionFileLoader("_calls", str(place))
    spec = importlib.util.spec_from_loader("_calls", loader)
    assert spec is not None
    try:
        found = cast(Calls, importlib.util.module_from_spec(spec))
    except ImportError:  # made for another kind of machine
        return None
    found.know("came_from_beside", _came_from_beside)
    return found


def _came_from_beside(trace: types.TracebackType) -> bool:
    from ..process import interruptions  # which few processes need

    return interruptions.came_from_beside(trace)


def know(name: Literal["buffer", "image", "image_fields", "context", "user_event", "mapping", "leftovers", "element_of",
                       "image_mapping", "pointer", "shared_types", "queue_parts", "barrier", "array",
                       "came_from_beside", "held"],
         known: object) -> None:
    """Tells code in C of the runtime's class of that name, of the fields of ImageKind, of the memory that contexts have left to be freed
    by others, of the function that gives a colour's element in a format, of the classes ImageMapping, Region and Linear, of the face's
    classes of shared virtual memory, of what queues are made of (queue/queue.py), of what makes a barrier (queue/command.py), of
    PyOpenCL's arrays, whose `flags` are those in `_flags` where there are some, of the function of that name (process/interruptions.py), or
    of what is for commands that are held back (queue/deferred.py). As long as a file has not been imported, which tells of its class,
    nothing is of the class."""
    found = calls()
    if found is not None:
        found.know(name, known)


def know_slots(kind: type[T]) -> type[T]:
    """Class decorator: code in C reads and writes what is in `__slots__` of the class's own objects where it lies. Which place that is only
    the interpreter's descriptors know: an object's memory shows where a value is that it was given."""
    found = calls()
    if found is not None:
        names = {name for base in kind.__mro__ for name in base.__dict__.get("__slots__", ())}
        bare = object.__new__(kind)
        offsets = [(name, _offset(bare, getattr(kind, name))) for name in sorted(names)
                   if isinstance(getattr(kind, name, None), types.MemberDescriptorType)]
        found.slots(kind, tuple((name, offset) for name, offset in offsets if offset))
    return kind


class Itself:
    """An object of the runtime's, for code in C: that takes a face's objects, which have the runtime's in `_core`, or the runtime's own."""

    __slots__ = ()

    @property
    def _core(self) -> Any:
        return self


def _offset(bare: object, slot: types.MemberDescriptorType) -> int:
    """0 where it is not to be seen."""
    mark = object()
    slot.__set__(bare, mark)
    words = memoryview(ctypes.string_at(id(bare), type(bare).__basicsize__)).cast("P").tolist()
    slot.__delete__(bare)
    return words.index(id(mark)) * ctypes.sizeof(ctypes.c_void_p) if words.count(id(mark)) == 1 else 0


def cached_place() -> Path | None:
    """Where `build` puts what belongs to a source tree, which has no installation of its own; None without a cache."""
    from ..process import disk_cache  # which an installation has no use for here

    root = disk_cache.root()
    return None if root is None else root / "native" / _digest() / NAME


@cache
def _digest() -> str:
    import hashlib  # which an installation has no use for here

    found = hashlib.sha256()
    for each in sorted(HERE.glob("*.[ch]")):
        found.update(each.read_bytes())
    return found.hexdigest()[:16]
