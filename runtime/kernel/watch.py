"""What debug mode does with a launch: it is waited for, and an error says which kernel it was, with its sizes
and arguments."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..devices.device import Device
from ..driver.interface import DriverError, Stream
from ..memory import known_memory
from ..queue.command import Outcome, Run
from .argument_values import ArgumentValues
from .kernel import Kernel

_FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
            "half": "e", "float": "f", "double": "d", "size_t": "Q"}


def watched(device: Device, kernel: Kernel, offset: Sequence[int] | None, global_size: Sequence[int],
            local_size: Sequence[int] | None, run: Run) -> Run:
    """The launch, waited for; where it fails the error says what it was. The arguments are those of now."""
    sizes = f"global size {tuple(global_size)}, local size {tuple(local_size) if local_size else 'left open'}"
    if offset is not None and any(offset):
        sizes += f", offset {tuple(offset)}"
    about = "\n  ".join([f"in kernel '{kernel.name}', {sizes}, with", *_described(kernel.arguments.snapshot())])
    announce = device.driver_device.announce

    def watch(stream: Stream) -> Outcome:
        try:
            if announce is not None:
                announce(about)
            outcome = run(stream)
            stream.synchronize()
            if announce is not None:
                announce("")
            return outcome
        except DriverError as error:
            raise error.at(about) from None

    return watch


def _described(arguments: ArgumentValues) -> list[str]:
    """One line an argument."""
    lines = []
    for index, arg in enumerate(arguments.info.args):
        value = arguments.value_bytes(index)
        if arg.dimensions:
            text = _array(value, arg.dimensions)
        elif arg.kind in ("global", "constant"):
            text = known_memory.described(int.from_bytes(value, "little"))
        elif arg.kind == "value":
            code = _FORMATS.get(arg.type_name)
            text = str(struct.unpack("<" + code, value)[0]) if code else value.hex()
        else:
            text = arg.kind
        lines.append(f"argument {index}, {arg.type_name} {arg.name} = {text}")
    return lines


def _array(value: bytes, dimensions: int) -> str:
    from .array_argument import ADDRESS  # which few kernels need

    words = struct.unpack(f"<{len(value) // 8}q", value)
    return f"{known_memory.described(words[ADDRESS])}, of shape {words[ADDRESS + 1 : ADDRESS + 1 + dimensions]}"
