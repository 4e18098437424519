"""Random programs (`python tests/tools/fuzz`) of fixed seeds, on every real device: what cl2cuda and another OpenCL agreed on, kept in known.json.

After a change of the generator: python tests/tools/fuzz --count 40 --against host,pocl --stock-python PYTHON --known tests/tools/fuzz/known.json
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from support.devices import first
from tools.fuzz import barriers, generate, loops
from tools.fuzz.generate import GROUP, ITEMS, Block, program
from tools.fuzz.minimise import minimise
from tools.fuzz.shapes import PREAMBLE
from tools.fuzz.sides import NUMBERS, Side, digest

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.host.device import HostDevice
from cl2cuda.runtime.host.properties import host_properties
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

KNOWN = {int(seed): name for seed, name in json.loads((Path(__file__).parents[1] / "tools" / "fuzz" / "known.json").read_text()).items()}


def outputs(device, programs, options="") -> dict[int, str]:
    context = Context([device])
    queue = CommandQueue(context, device)
    built = Program(context, PREAMBLE + "".join(p.source for p in programs))
    built.build(options)
    found = {}
    for each in programs:
        kernel = Kernel(built, each.kernel)
        out = np.zeros(ITEMS, np.uint64)
        buffers = [Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, array.nbytes, array)
                   for array in (out, np.array(NUMBERS["input"], np.int32), np.array(NUMBERS["table"], np.uint32))]  # fmt: skip
        for index, buffer in enumerate(buffers):
            kernel.set_arg(index, buffer)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (ITEMS,), (GROUP,))
        buffer_commands.enqueue_read_buffer(queue, buffers[0], True, 0, out)
        found[each.seed] = digest(out.tobytes().hex())
    queue.finish()
    return found


@pytest.mark.parametrize("options", ["-cl-std=CL2.0 -DBLOCKS", ""], ids=["with blocks", "without"])
def test_programs_compute_what_is_known(real_device, options):
    assert outputs(real_device, [program(seed) for seed in KNOWN], options) == KNOWN


@pytest.mark.parametrize("options", ["", "-cl-opt-disable"], ids=["optimised", "not optimised"])
def test_loops_compute_what_they_say(real_device, options):
    """Sums under conditions, and conditions on parts of vectors and structs, by a model in Python."""
    said = {seed: digest(np.array(loops.expected(seed, NUMBERS["input"]), np.uint64).tobytes().hex()) for seed in range(1, 25)}
    assert outputs(real_device, [loops.program(seed) for seed in said], options) == said


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equal_seeds_give_equal_programs(seed):
    assert program(seed).source == program(seed).source != program(seed + 1).source
    assert "double" not in program(seed, fp64=False).source


def test_minimising_keeps_what_matters():
    case = program(5)
    line = next(line.strip() for line in case.source.splitlines()[-12:] if "h = (h ^" in line)
    smaller = minimise(case, lambda candidate: line in candidate.source, tries=400)
    assert line in smaller.source and len(smaller.source) < len(case.source) / 2


@pytest.mark.parametrize("early_returns", [False, True])
def test_kernels_with_barriers_compute_the_same_in_both_forms(early_returns):
    programs = [barriers.program(seed, early_returns) for seed in range(1, 7)]
    host = first("host")
    found = []
    for item_loops in (True, False):
        properties = dataclasses.replace(host_properties(), item_loops=item_loops)
        found.append(outputs(Device(host.platform, "host", HostDevice(properties)), programs, "-cl-opt-disable"))
    assert found[0] == found[1]


def test_a_kernel_that_fails_takes_no_other_with_it():
    """Its process ends, as that of a lost context must, and a new one runs the kernels behind it."""
    parameters = "(global ulong *out, global const int *in, constant uint *table)"
    bodies = {"before": "out[get_global_id(0)] = 1;", "failing": "*(global int *)(ulong)(get_global_id(0) + 16) = 1;", "behind": "out[get_global_id(0)] = 2;",
              "failing_too": "*(global int *)(ulong)(get_global_id(0) + 16) = 1;"}  # fmt: skip
    programs = [generate.Program(0, name, [Block(f"kernel void {name}{parameters} {{ {body} }}")]) for name, body in bodies.items()]
    side = Side("host", sys.executable)
    found = side.run(programs)
    again = side.run(programs[:1])
    side.close()
    assert {"before": found["before"], "behind": found["behind"]} == {"before": "0100000000000000" * ITEMS, "behind": "0200000000000000" * ITEMS}
    assert "Error" in found["failing"] and "Error" in found["failing_too"]
    assert again == {"before": found["before"]}
