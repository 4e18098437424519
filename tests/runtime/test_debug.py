"""The debug mode: what it says of a launch that fails, and that everything works in it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.launch import LaunchRecord, extent, limits_for, pieces
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import debug_mode
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def debugging(monkeypatch):
    monkeypatch.setattr(debug_mode, "_active", True)


def test_a_failing_launch_names_kernel_arguments_and_sizes(fake, debugging):
    fake.kernels.append(kernel_info("broken", arg("out", "global", type_name="float*"), arg("n", "value", 4, type_name="int"),
                                    arg("tile", "local", type_name="float*")))

    def body(parameters, sizes):
        def fail():
            raise DriverError("an illegal memory access")
        return fail

    fake.driver.bodies["broken"] = body
    program = Program(fake.context, "source")
    program.build()
    kernel, buffer = Kernel(program, "broken"), Buffer(fake.context, 0, 400)
    for index, value in enumerate((buffer, np.int32(-3), LocalMemory(64))):
        kernel.set_arg(index, value)
    queue = CommandQueue(fake.context, fake.device)
    with pytest.raises(CLError) as caught:
        enqueue_nd_range_kernel(queue, kernel, 1, (2,), (100,), (10,))
    assert caught.value.reason.splitlines() == [
        "an illegal memory access", "  in kernel 'broken', global size (100,), local size (10,), offset (2,), with",
        f"  argument 0, float* out = {buffer.address:#x}, a buffer of 400 bytes", "  argument 1, int n = -3", "  argument 2, float* tile = local",
    ]


@pytest.mark.parametrize(("size", "local"), [((1 << 20, 1, 1), (256, 1, 1)), ((1 << 24, 1, 1), (64, 1, 1)), ((1000, 1000, 1), (10, 10, 1)),
                                             ((7, 300, 500), (7, 3, 1)), ((100, 1, 1), (64, 1, 1))])
def test_launches_are_cut_into_few_pieces_that_cover_all(size, local):
    found = pieces(3, size, local, (0, 0, 0), limits_for(size, local, 4096))
    assert len(found) <= 3 * 4096
    assert sum(np.prod(grid, dtype=np.int64) * np.prod(block, dtype=np.int64) for grid, block, _ in found) == np.prod(size, dtype=np.int64)


def test_the_extent_of_a_piece_in_words():
    record = LaunchRecord((5, 0, 0), (1000, 1, 1), (3, 0, 0), (10, 1, 1), (100, 1, 1), 1)
    assert extent(1, (1, 1, 1), (100, 1, 1), record) == "at work-group 3: work-items with global ids from 305 to 404"
    record = LaunchRecord((0, 0, 0), (64, 64, 1), (0, 2, 0), (8, 8, 1), (8, 8, 1), 2)
    assert extent(2, (8, 2, 1), (8, 8, 1), record) == (
        "at work-groups (0, 2) to (7, 3): work-items with global ids from (0, 16) to (63, 31)")


SUMS = """
__kernel void sums(__global const uint *x, __global uint *out, __local uint *part) {
    size_t l = get_local_id(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (size_t i = 0; i < get_local_size(0); i++) sum += part[i];
    if (l == 0) out[get_group_id(0)] = sum;
}
"""


def test_what_works_works_in_debug_mode_too(real_device, debugging):
    context = Context([real_device])
    queue = CommandQueue(context, real_device)
    program = Program(context, SUMS)
    program.build()
    kernel = Kernel(program, "sums")
    x = np.arange(1 << 16, dtype=np.uint32)
    out = Buffer(context, 0, 4 * 1024)
    for index, value in enumerate((Buffer(context, codes.MEM_COPY_HOST_PTR, host=x), out, LocalMemory(4 * 64))):
        kernel.set_arg(index, value)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1 << 16,), (64,))
    found = np.empty(1024, np.uint32)
    enqueue_read_buffer(queue, out, True, 0, found)
    assert np.array_equal(found, x.reshape(1024, 64).sum(axis=1, dtype=np.uint32))


FAULTY = """
import numpy as np, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, '''__kernel void faulty(__global int *x, int n) {
    size_t i = get_global_id(0);
    if (i == 1234) x[(size_t)n << 40] = 1; else x[i] = 2;
}''').build()
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 4096)
try:
    program.faulty(queue, (4096,), (64,), buffer, np.int32(1))
except cl.Error as error:
    print(error)
"""


@pytest.mark.faulting
def test_a_fault_names_kernel_arguments_and_place(real_device, tmp_path):
    script = tmp_path / "faulty.py"
    script.write_text(FAULTY)
    result = subprocess.run([sys.executable, "-m", "cl2cuda", "run", "--debug", str(script)], capture_output=True, text=True,
                            env={**os.environ, "CL2CUDA_DEVICE": real_device.driver_name, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])})
    said = result.stdout
    at_least = "at work-group 19: work-items with global ids from 1216 to 1279"
    assert "in the work-item with global id 1234" in said or (real_device.is_cuda and at_least in said), said + result.stderr
    assert "in kernel 'faulty', global size (4096,), local size (64,), with" in said
    assert "argument 1, int n = 1" in said and "a buffer of 16384 bytes" in said
    assert result.returncode == 0
