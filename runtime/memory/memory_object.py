"""What buffers and images have in common as memory objects (5.5): their flags, and clGetMemObjectInfo."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from ..context.context import Context
from ..context.destructors import Destructible
from ..devices.device import Device
from ..driver.interface import Stream
from ..native import library as native
from ..process import host_memory
from ..queue.command import Outcome
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import QueryTable
from .directory import Access
from .mapping import all_listed

ACCESS = codes.MEM_READ_WRITE | codes.MEM_READ_ONLY | codes.MEM_WRITE_ONLY
# Flags with which kernels write nothing.
ONLY_READ = codes.MEM_READ_ONLY | codes.MEM_IMMUTABLE_EXT
HOST_ACCESS = codes.MEM_HOST_READ_ONLY | codes.MEM_HOST_WRITE_ONLY | codes.MEM_HOST_NO_ACCESS
HOST_POINTER = codes.MEM_USE_HOST_PTR | codes.MEM_ALLOC_HOST_PTR | codes.MEM_COPY_HOST_PTR


class MemoryObject(Destructible, native.Itself):
    """Base of what a cl_mem may be.

    type        CL_MEM_OBJECT_*
    size        in bytes
    host        the memory given with USE_HOST_PTR, else None
    parent      the memory object that this one was made from, else None; `offset` in bytes from its start
    mappings    the mapped regions of it and of what has its contents beside, as `listed_at` says of the address that the application has
    uses_svm    it is over shared virtual memory
    properties  those of clCreateBufferWithProperties
    device_addresses    of a buffer made with MEM_DEVICE_PRIVATE_ADDRESS_EXT, on each device of the context
    """

    context: Context
    type: int
    flags: int
    host: Any
    size: int
    parent: Any
    offset: int
    uses_svm = False
    properties: tuple[tuple[int, Any], ...] = ()
    device_addresses: tuple[int, ...] = ()

    @property
    def mappings(self) -> dict[Any, list[Any]]:
        raise NotImplementedError

    def listed_at(self, address: int) -> Hashable:
        return address

    @property
    def released(self) -> bool:
        raise NotImplementedError

    def check_device(self, routine: str, device: Device) -> None:
        """Raises CLError if commands of the device cannot use the object."""

    def place(self, access: Access) -> Callable[[Device, Stream], Any]:
        """What brings the contents to a device, for a command that does this with them; also when the memory object has been
        released by then."""
        raise NotImplementedError

    def to_host(self) -> Callable[[Device, Stream], object]:
        """What brings the contents, by a command, to where they are when they are mapped; nothing where that gains nothing."""
        return _nothing

    def write_back(self, mapping: Any, address: int) -> Callable[[Stream, Device], Outcome]:
        """What unmapping does in a stream of a device: what was mapped for writing goes there."""
        raise NotImplementedError

    @property
    def map_count(self) -> int:
        return len(all_listed(self.mappings))

    def get_info(self, param: int) -> Any:
        """clGetMemObjectInfo."""
        return QUERIES.get(self, param)


@functools.lru_cache(64)
def checked_flags(routine: str, flags: int, has_contents: bool = False) -> int:
    """The flags, as CL_MEM_FLAGS tells them: "If the value specified for flags is 0, the default is used which is CL_MEM_READ_WRITE";
    others stay as they are. Where an immutable memory object `has_contents` from elsewhere, it needs none of the host's."""
    known = ACCESS | HOST_ACCESS | HOST_POINTER | codes.MEM_IMMUTABLE_EXT
    if flags & ~known:
        raise CLError(routine, "INVALID_VALUE", f"{flags & ~known:#x} is not a flag that memory objects are created with")
    if flags & codes.MEM_USE_HOST_PTR and flags & (codes.MEM_ALLOC_HOST_PTR | codes.MEM_COPY_HOST_PTR):
        raise CLError(routine, "INVALID_VALUE", "USE_HOST_PTR excludes ALLOC_HOST_PTR and COPY_HOST_PTR")
    for group, names in ((ACCESS, "READ_WRITE, READ_ONLY and WRITE_ONLY"),
                         (HOST_ACCESS, "HOST_READ_ONLY, HOST_WRITE_ONLY and HOST_NO_ACCESS")):
        chosen = flags & group
        if chosen & (chosen - 1):
            raise CLError(routine, "INVALID_VALUE", f"{names} exclude each other")
    if flags & codes.MEM_IMMUTABLE_EXT:
        _check_immutable(routine, flags, has_contents)
    return flags or codes.MEM_READ_WRITE


def _check_immutable(routine: str, flags: int, has_contents: bool) -> None:
    """"CL_INVALID_VALUE if CL_MEM_IMMUTABLE_EXT is set in flags and CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, or CL_MEM_HOST_WRITE_ONLY is
    set in flags", or neither COPY_HOST_PTR nor USE_HOST_PTR is, nor another source of its contents given."""
    if flags & (codes.MEM_READ_WRITE | codes.MEM_WRITE_ONLY | codes.MEM_HOST_WRITE_ONLY):
        raise CLError(routine, "INVALID_VALUE", "an immutable memory object is written neither by kernels nor by the host")
    if not has_contents and not flags & (codes.MEM_COPY_HOST_PTR | codes.MEM_USE_HOST_PTR):
        raise CLError(routine, "INVALID_VALUE", "an immutable memory object has its contents from COPY_HOST_PTR or USE_HOST_PTR")


def inherited_flags(routine: str, what: str, parent: int, flags: int) -> int:
    """The flags of a sub-buffer, or of an image made from another memory object, whose flags are `parent`: "If memobj is a sub-buffer the
    memory access qualifiers inherited from parent buffer is also returned"."""
    if flags & HOST_POINTER:
        raise CLError(routine, "INVALID_VALUE", f"the {what} inherits USE_, ALLOC_ and COPY_HOST_PTR: they cannot be given")
    immutable = (parent | flags) & codes.MEM_IMMUTABLE_EXT
    checked_flags(routine, flags | immutable, has_contents=True)
    mine, theirs = parent & ACCESS, flags & ACCESS
    if theirs and mine not in (0, codes.MEM_READ_WRITE) and theirs != mine:
        raise CLError(routine, "INVALID_VALUE", f"kernels may not do more with the {what} than with what it is made from")
    mine_host, theirs_host = parent & HOST_ACCESS, flags & HOST_ACCESS
    if theirs_host and mine_host and theirs_host not in (mine_host, codes.MEM_HOST_NO_ACCESS):
        raise CLError(routine, "INVALID_VALUE", f"the host may not do more with the {what} than with what it is made from")
    inherited = mine & codes.MEM_READ_ONLY if immutable else mine
    return (theirs or inherited) | (theirs_host or mine_host) | parent & HOST_POINTER | immutable


def check_host_pointer(routine: str, flags: int, host: Any) -> None:
    """CL_INVALID_HOST_PTR "if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in flags or if host_ptr is
    not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags"."""
    if (host is not None) != bool(flags & (codes.MEM_USE_HOST_PTR | codes.MEM_COPY_HOST_PTR)):
        raise CLError(routine, "INVALID_HOST_PTR", "host memory goes with USE_HOST_PTR or COPY_HOST_PTR, and only with them")


def _nothing(device: Device, stream: Stream) -> None:
    """Mapping copies what it needs."""


def _host_pointer(memory: QueriedMemory) -> int | None:
    if memory.host is None:
        return None
    return host_memory.extent("clGetMemObjectInfo", memory.host)[0] + memory.offset


def _device_addresses(memory: QueriedMemory) -> tuple[int, ...]:
    """cl_ext_buffer_device_address: the address on each device of the context."""
    if not memory.device_addresses:
        raise CLError("clGetMemObjectInfo", "INVALID_OPERATION", "the memory object was not made with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT")
    return memory.device_addresses


class QueriedMemory(Protocol):
    """What the queries ask of a memory object, also of a pipe."""

    size: int

    @property
    def type(self) -> int: ...
    @property
    def flags(self) -> int: ...
    @property
    def host(self) -> Any: ...
    @property
    def map_count(self) -> int: ...
    @property
    def context(self) -> object: ...
    @property
    def parent(self) -> object: ...
    @property
    def offset(self) -> int: ...
    @property
    def uses_svm(self) -> bool: ...
    @property
    def properties(self) -> tuple[tuple[int, Any], ...]: ...
    @property
    def device_addresses(self) -> tuple[int, ...]: ...


QUERIES = QueryTable[QueriedMemory]("clGetMemObjectInfo", (
    ("MEM_TYPE", "enum", lambda m: m.type),
    ("MEM_FLAGS", "bitfield", lambda m: m.flags),
    ("MEM_SIZE", "size_t", lambda m: m.size),
    ("MEM_HOST_PTR", "pointer", _host_pointer),
    ("MEM_MAP_COUNT", "uint", lambda m: m.map_count),
    ("MEM_REFERENCE_COUNT", "uint", lambda m: 1),
    ("MEM_CONTEXT", "object", lambda m: m.context),
    ("MEM_ASSOCIATED_MEMOBJECT", "object", lambda m: m.parent),
    ("MEM_OFFSET", "size_t", lambda m: m.offset),
    ("MEM_USES_SVM_POINTER", "bool", lambda m: m.uses_svm),
    ("MEM_PROPERTIES", "properties", lambda m: m.properties),
    ("MEM_DEVICE_ADDRESS_EXT", "ulong[]", _device_addresses),
))
