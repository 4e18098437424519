"""What runtime knows about a kernel: the only contract between translator and runtime about one.

Everything here survives JSON, since it is stored in caches and program binaries: what differs from a field's default, since most does not,
and each build and each find in the cache would wait for the rest.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

ArgKind = Literal["value", "global", "constant", "local", "image", "sampler", "pipe", "queue"]
Access = Literal["none", "read_only", "write_only", "read_write"]

# Bytes of the last parameter of a kernel that enqueues others (`ocl::enqueuing`).
ENQUEUING_SIZE = 16


class ImagePlace(NamedTuple):
    """An image in a kernel's parameter: at which byte, its type's name, and its access qualifier."""

    offset: int
    type_name: str
    access: Access


@dataclass(frozen=True)
class ArgInfo:
    """One kernel argument (OpenCL API 5.9.4, clGetKernelArgInfo).

    kind        what clSetKernelArg accepts: bytes of a value, a memory object, a size of local memory, ...
    size        bytes of the kernel's parameter, which for a value clSetKernelArg expects; 8 for a pointer (0 is never used); of an
                image and a sampler `builtins.opaque.ARGUMENTS`
    align       bytes
    parameter   False for the one `local` argument whose place in local memory is known at translation (offset
                `KernelInfo.local_size` rounded up to 128): the CUDA kernel has no parameter for it. Every other `local`
                argument is a `unsigned int` parameter: its byte offset in dynamic shared memory.
    image       of an image its type's name, such as image2d_t: `type_name` may be a typedef's
    packet_size  bytes of a pipe's packets
    read_only   of a pointer: the kernel writes nothing through it
    parts       the CUDA kernel's parameters for it, one after the other, each of size / parts bytes
    dimensions  of an array as Numba has it: memory with a shape (runtime/kernel/array_argument.py); 0 for all else. `item_size` are the
                bytes of an element; `layout` is "C" or "F" for elements without gaps in that order, "A" for any strides.
    captured_images  of what an enqueued block has captured
    """

    name: str
    type_name: str
    kind: ArgKind
    size: int
    align: int
    address_qualifier: Literal["global", "local", "constant", "private"] = "private"
    access_qualifier: Access = "none"
    type_qualifiers: tuple[str, ...] = ()
    parameter: bool = True
    image: str = ""
    packet_size: int = 0
    parts: int = 1
    dimensions: int = 0
    item_size: int = 0
    layout: Literal["", "C", "F", "A"] = ""
    read_only: bool = False
    captured_images: tuple[ImagePlace, ...] = ()

    @property
    def parameter_size(self) -> int:
        """Bytes of the kernel's parameters for it, all parts together; the offset of local memory takes a word, too."""
        return self.size if self.kind in ("value", "image", "sampler") or self.dimensions else 8

    @property
    def images(self) -> tuple[ImagePlace, ...]:
        """All images in the kernel's parameter for it."""
        return (ImagePlace(0, self.image, self.access_qualifier),) if self.kind == "image" else self.captured_images

    @property
    def may_write(self) -> bool:
        """Of a pointer to a buffer: its type lets the kernel write there, whether it does or not."""
        return self.kind == "global" and "const" not in self.type_qualifiers

    def to_json(self) -> dict[str, Any]:
        return _told(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ArgInfo:
        given = dict(data)
        if "type_qualifiers" in given:
            given["type_qualifiers"] = tuple(given["type_qualifiers"])
        if "captured_images" in given:
            given["captured_images"] = tuple(ImagePlace(*each) for each in given["captured_images"])
        return _made(cls, given)


@dataclass(frozen=True)
class VariableInfo:
    """A variable of program scope in the global address space that the host may know (cl_intel_global_variable_access).

    cxx_name         what the translated program calls it in namespace ocl::user, with a namespace of its own in a linked program
    size             in bytes
    reads, writes    what the host may do with it
    """

    name: str
    cxx_name: str
    size: int
    reads: bool = True
    writes: bool = True

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class KernelInfo:
    """One kernel (OpenCL API 5.9.4: clGetKernelInfo, clGetKernelWorkGroupInfo).

    local_size     bytes of local memory that the kernel declares itself, as static shared memory, or, when `local_in_dynamic`
                   (more than CUDA's 48 KB of static shared memory), at the start of the dynamic shared memory
    cxx_name       what the translated program calls it in namespace ocl::user: C++ reserves more words than OpenCL
    reqd_sub_group_size   from intel_reqd_sub_group_size
    declarations   the CUDA kernel's parameters as C++ declares them, in order: what a launch of it is to give
    cuda_code      not translated, but CUDA code that counts work-items as CUDA does: from 0, in work-groups of the full size
    observes_groups  a work-item can tell how the work-items are grouped: else their grouping is the runtime's to choose
    uses_global_size  it asks how many work-items there are
    uses_barrier   a barrier or another work-group or sub-group function can be reached: work-items must run concurrently
    item_loops     the translated kernel runs a whole work-group: `uses_barrier` is about the work-items of its source
    waits          for the host device: its work-groups may wait for each other (`item_loops.waiting`)
    enqueues       the kernel uses device queues (6.15.19): its last parameter says from where (`ocl::enqueuing`)
    samplers       the bits of all samplers that it may read images with; None where they are arguments, or not known
    block          the number of an enqueued block, of which only kernels know; -1 for a kernel of the program's own. Its first argument is
                   what the block has captured.
    """

    name: str
    args: tuple[ArgInfo, ...]
    attributes: str = ""
    reqd_work_group_size: tuple[int, int, int] | None = None
    work_group_size_hint: tuple[int, int, int] | None = None
    vec_type_hint: str = ""
    local_size: int = 0
    local_in_dynamic: bool = False
    uses_barrier: bool = False
    uses_printf: bool = False
    uses_local_memory: bool = False
    observes_groups: bool = False
    uses_global_size: bool = False
    cxx_name: str = ""
    reqd_sub_group_size: int | None = None
    cuda_code: bool = False
    item_loops: bool = False
    waits: bool = False
    enqueues: bool = False
    samplers: tuple[int, ...] | None = None
    block: int = -1
    declarations: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.cxx_name:
            object.__setattr__(self, "cxx_name", self.name)

    def to_json(self) -> dict[str, Any]:
        return {**_told(self), "args": [arg.to_json() for arg in self.args]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> KernelInfo:
        given = {**data, "args": tuple(map(ArgInfo.from_json, data["args"]))}
        for key in ("reqd_work_group_size", "work_group_size_hint", "samplers", "declarations"):
            if given.get(key) is not None:
                given[key] = tuple(given[key])
        made = _made(cls, given)
        made.__post_init__()
        return made


Info = TypeVar("Info", ArgInfo, KernelInfo)
_DEFAULTS: dict[type, dict[str, Any]] = {
    kind: {each.name: each.default for each in dataclasses.fields(kind)} for kind in (ArgInfo, KernelInfo)}
_REQUIRED = {kind: {name for name, default in defaults.items() if default is dataclasses.MISSING} for kind, defaults in _DEFAULTS.items()}


def _told(info: ArgInfo | KernelInfo) -> dict[str, Any]:
    defaults = _DEFAULTS[type(info)]
    return {name: value for name, value in vars(info).items() if value != defaults[name]}


def _made(kind: type[Info], given: dict[str, Any]) -> Info:
    """`kind(**given)` in half of its time, which for a frozen class goes into setting each field: every build that a cache has knows its
    kernels by this."""
    values = _DEFAULTS[kind] | given
    if len(values) != len(_DEFAULTS[kind]) or not given.keys() >= _REQUIRED[kind]:
        raise TypeError(f"{kind.__name__} has other fields than {', '.join(given)}")
    made = object.__new__(kind)
    made.__dict__.update(values)
    return made
