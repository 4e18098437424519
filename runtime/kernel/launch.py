"""A launch of a kernel whose sizes are checked and chosen: what plans are made of, and what traces tell of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from ..driver.device import Function, NativeLaunch
from ..driver.interface import Stream, Triple
from ..memory import known_memory
from ..process.trace import Facts
from .argument_values import ArgumentValues

# A launch with everything decided.
Plan = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Launch:
    """`dynamic_local` is in bytes; a triple has 1 for a size, 0 for an offset, where there is no such dimension."""

    function: Function
    work_dim: int
    global_size: Triple
    local_size: Triple
    offset: Triple
    dynamic_local: int

    def plan(self, stream: Stream, parameters: int) -> Plan:
        """For a stream, and the address of the parameters."""
        return self.function.prepare(stream, self.work_dim, self.global_size, self.local_size, self.offset, self.dynamic_local, parameters)

    def native(self, stream: Stream, parameters: int) -> NativeLaunch | None:
        """The same as native code makes it, where it can."""
        return self.function.native_launch(stream, self.work_dim, self.global_size, self.local_size, self.offset, self.dynamic_local,
                                           parameters)

    @cached_property
    def facts(self) -> Facts:
        """The sizes, and what the kernel needs; None for what the driver cannot tell. Memory is in bytes: `private_memory` and the
        spilled registers of a work-item, `local_memory` of a work-group. `occupancy` is the part of the work-items that a compute unit
        can hold which can be there at a time."""
        function, counted = self.function, self.function.registers is not None
        return {
            "global_size": self.global_size[: self.work_dim], "local_size": self.local_size[: self.work_dim],
            "work_items": math.prod(self.global_size),
            "registers": function.registers,
            "spill_stores": function.spills.stores if function.spills else None,
            "spill_loads": function.spills.loads if function.spills else None,
            "private_memory": function.private_size if counted else None,
            "local_memory": function.local_size + self.dynamic_local,
            "occupancy": function.occupancy(self.local_size, self.dynamic_local) if function.occupancy else None,
        }


def argument_bytes(arguments: ArgumentValues) -> int | None:
    """How much memory the kernel is given: the buffers that it points to, each counted once, from the pointer on. None where that cannot
    be told: of images, pipes, and pointers to what is no buffer."""
    sizes: dict[int, int] = {}
    for index, arg in enumerate(arguments.info.args):
        if arg.kind in ("image", "pipe") or arg.dimensions:
            return None
        if arg.kind in ("global", "constant"):
            address = int.from_bytes(arguments.value_bytes(index), "little")
            place = known_memory.found(address) if address else None
            if address and place is None:
                return None
            if place is not None:
                block, start = place
                sizes[start] = max(sizes.get(start, 0), start + block.size - address)
    return sum(sizes.values())
