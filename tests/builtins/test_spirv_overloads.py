"""Built-in functions by way of SPIR-V: calls that clang and llvm-spirv make a module of leave in memory what the same calls leave by way of
our own front end. A share here, many more with `-m full`; what the tools do not take is left out."""

from __future__ import annotations

import numpy as np
import pytest
from support.overload_calls import CALLS, OPTIONS, ROOM, every_overload, is_offered, programs, takes_images
from support.spirv_modules import Refused, can_compile, compiled

from cl2cuda.builtins.table import Overload
from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

pytestmark = pytest.mark.skipif(not can_compile(), reason="clang or llvm-spirv is not installed")

SHARE, FULL_SHARE = 331, 13  # every so manieth overload
EXTENSIONS = ("--spirv-ext=+SPV_INTEL_subgroups,+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max",)


def is_defined(overload: Overload) -> bool:
    """Whether the call's result does not depend on what is in memory before, nor on a fourth component that is not there."""
    reads_nothing = not any("local" in parameter for parameter in overload.parameters)
    has_three = overload.name.startswith("as_") and "3" in overload.name + overload.parameters[0]
    return reads_nothing and not has_three and "clock" not in overload.name


def chosen(share: int) -> list[Overload]:
    return [o for o in every_overload() if is_offered(o) and not takes_images(o) and is_defined(o)][::share]


def left_in_memory(context: Context, program: Program) -> np.ndarray:
    queue = CommandQueue(context, context.devices[0])
    out, given = np.zeros(CALLS * ROOM, "u1"), (np.arange(CALLS * ROOM) % 7 + 1).astype("u1")
    buffers = [Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, array.nbytes, array) for array in (out, given)]
    kernel = Kernel(program, "k0")
    for index, value in enumerate((*buffers, np.uint32(1).tobytes())):
        kernel.set_arg(index, value)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
    buffer_commands.enqueue_read_buffer(queue, buffers[0], True, 0, out)
    return out


def compare(context: Context, overloads: list[Overload], level: str) -> int:
    """How many were compared: a program that clang refuses is halved until the one at fault stands alone."""
    source = next(iter(programs(overloads, 1))).source
    try:
        module = compiled(f"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{source}", OPTIONS, level, EXTENSIONS)
    except Refused:
        middle = len(overloads) // 2
        return 0 if not middle else compare(context, overloads[:middle], level) + compare(context, overloads[middle:], level)
    ours, theirs = Program(context, source), Program.from_il(context, module)
    ours.build(OPTIONS)
    theirs.build()
    first, second = left_in_memory(context, ours), left_in_memory(context, theirs)
    different = [o.name for number, o in enumerate(overloads)
                 if (first[number * ROOM : (number + 1) * ROOM] != second[number * ROOM : (number + 1) * ROOM]).any()]
    assert different == []
    return len(overloads)


def test_a_share_leaves_the_same(real_device):
    overloads = chosen(SHARE)
    assert compare(Context([real_device]), overloads[:CALLS], "-O0") > len(overloads[:CALLS]) // 2


@pytest.mark.full
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_many_leave_the_same(real_device, level):
    overloads, context = chosen(FULL_SHARE), Context([real_device])
    compared = sum(compare(context, overloads[first : first + CALLS], level) for first in range(0, len(overloads), CALLS))
    assert compared > len(overloads) // 2
