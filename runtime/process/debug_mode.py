"""The debug mode, CL2CUDA_DEBUG=1: a kernel that fails is named, with its arguments and the work-item or work-groups at fault.

On, every launch is waited for, and a CUDA device runs a launch in pieces of few work-groups, each waited for as well, so that
the piece that fails is known. A CUDA device that failed is lost for the process all the same. The host device builds programs
such that it knows the work-item, and puts guards around every buffer. Device memory comes from CUDA itself then and not
from the pool, so that compute-sanitizer sees where buffers end.
"""

from __future__ import annotations

import struct
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..driver.interface import DriverError
from . import environment

if TYPE_CHECKING:
    from ..devices.device import Device
    from ..kernel.arguments import ArgumentBlock
    from ..kernel.kernel import Kernel
    from ..memory.buffer import Storage

VARIABLE = "CL2CUDA_DEBUG"
# How many pieces a launch is cut into at most.
MAX_PIECES = 4096

Run = Callable[[Any], Any]

_active = environment.flag(VARIABLE)
_storages: weakref.WeakSet[Storage] = weakref.WeakSet()

_FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
            "half": "e", "float": "f", "double": "d", "size_t": "Q"}


def active() -> bool:
    """Whether queues made now are in debug mode."""
    return _active


def activate() -> None:
    """For queues made from now on."""
    global _active
    _active = True


def remember(storage: Storage) -> None:
    """So that a pointer can be told as the buffer that it points into."""
    if _active:
        _storages.add(storage)


def watched(device: Device, kernel: Kernel, offset: Sequence[int] | None, global_size: Sequence[int],
            local_size: Sequence[int] | None, run: Run) -> Run:
    """The launch, waited for; where it fails the error says what it was. The arguments are those of now."""
    sizes = f"global size {tuple(global_size)}, local size {tuple(local_size) if local_size else 'left open'}"
    if offset is not None and any(offset):
        sizes += f", offset {tuple(offset)}"
    about = "\n  ".join([f"in kernel '{kernel.name}', {sizes}, with", *_described(kernel.arguments.snapshot())])
    announce = getattr(device.driver_device, "announce", None)

    def watch(stream: Any) -> None:
        try:
            if announce:
                announce(about)
            run(stream)
            stream.synchronize()
            if announce:
                announce("")
        except DriverError as error:
            raise error.at(about) from None

    return watch


def _described(arguments: ArgumentBlock) -> list[str]:
    """One line an argument."""
    lines = []
    for index, arg in enumerate(arguments.info.args):
        value = arguments.value_bytes(index)
        if arg.dimensions:
            text = _array(value, arg.dimensions)
        elif arg.kind in ("global", "constant"):
            text = _pointer(int.from_bytes(value, "little"))
        elif arg.kind == "value":
            code = _FORMATS.get(arg.type_name)
            text = str(struct.unpack("<" + code, value)[0]) if code else value.hex()
        else:
            text = arg.kind
        lines.append(f"argument {index}, {arg.type_name} {arg.name} = {text}")
    return lines


def _array(value: bytes, dimensions: int) -> str:
    from ..kernel.array_argument import ADDRESS

    words = struct.unpack(f"<{len(value) // 8}q", value)
    return f"{_pointer(words[ADDRESS])}, of shape {words[ADDRESS + 1 : ADDRESS + 1 + dimensions]}"


def _pointer(address: int) -> str:
    if not address:
        return "NULL"
    for storage in list(_storages):
        if storage.address <= address < storage.address + storage.size:
            inside = address - storage.address
            return f"{address:#x}, {'byte ' + str(inside) + ' of ' if inside else ''}a buffer of {storage.size} bytes"
    return f"{address:#x}, in no buffer"
