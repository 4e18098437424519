"""What a new process imports before its first result, where the cache has its program: start-up is what short programs wait for."""

import subprocess
import sys

import pytest
from support.processes import environment

from cl2cuda.opencl_icd.functions import entry_points
from cl2cuda.runtime.spec.entry_points import ENTRY_POINTS

# What translates and composes programs, and what takes long to import and few programs need.
LATE = ("cl2cuda.translator.stages", "cl2cuda.translator.emit", "cl2cuda.translator.opencl_c.analyse", "cl2cuda.translator.spirv.module",
        "cl2cuda.builtins.prelude", "cl2cuda.builtins.table", "pycparser", "numpy", "cupy")

PROGRAM = """
import sys
import cl2cuda.opencl_icd.functions
from cl2cuda.runtime.commands import buffer as commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.platform import platforms
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.spec import codes

device = platforms()[0].devices(codes.DEVICE_TYPE_ALL)[0]
context = Context([device])
queue = create_command_queue(context, device, 0)
program = Program(context, "kernel void put(global int *a, int b) { a[get_global_id(0)] = b; }")
program.build("")
kernel = Kernel(program, "put")
memory = Buffer(context, codes.MEM_READ_WRITE, 16)
kernel.set_arg(0, memory)
kernel.set_arg(1, (7).to_bytes(4, "little"))
enqueue_nd_range_kernel(queue, kernel, 1, None, (4,), None)
found = bytearray(16)
commands.enqueue_read_buffer(queue, memory, True, 0, found)
assert bytes(found) == (7).to_bytes(4, "little") * 4
print(*sorted(name for name in sys.modules if name in %r))
"""


def run(cache):
    done = subprocess.run([sys.executable, "-c", PROGRAM % (LATE,)], capture_output=True, text=True, timeout=600,
                          env=environment(CL2CUDA_CACHE_DIR=str(cache), CL2CUDA_DEVICE="host"))
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    return run(cache), run(cache)


def test_a_process_that_translates_imports_what_translates(runs):
    assert {"cl2cuda.translator.stages", "cl2cuda.builtins.prelude", "pycparser"} <= set(runs[0])


def test_a_process_that_finds_its_program_in_the_cache_does_not(runs):
    assert runs[1] == []


def test_what_answers_is_entry_points():
    found = entry_points()
    assert len(found) > 100 and set(found) <= set(ENTRY_POINTS)


# Rooms whose objects a program has to ask for first.
ASKED_FOR = ("kernel.kernel", "program.program", "build.compiler_pool", "image.image", "command_buffer.command_buffer", "opengl.egl",
             "graphics.source", "commands.nd_range", "commands.semaphore")


def test_a_program_in_c_that_looks_at_its_devices_waits_for_little_else():
    found = subprocess.run([sys.executable, "-c", f"""
import sys
from cl2cuda.opencl_icd import functions
assert functions.platform.only_platform().devices(0xFFFFFFFF)
print(*sorted(name for name in sys.modules if name.removeprefix("cl2cuda.runtime.") in {ASKED_FOR} or name in {LATE}))
"""], capture_output=True, text=True, timeout=600, env=environment(CL2CUDA_DEVICE="host"))
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == []


def test_the_search_for_garbage_rests_while_the_translator_is_imported():
    found = subprocess.run([sys.executable, "-c", """
import gc
import sys

def searched(phase, facts):
    stages = sys.modules.get("cl2cuda.translator.stages")
    meanwhile.append(stages is not None and stages.__spec__._initializing)

meanwhile = []
gc.callbacks.append(searched)
import cl2cuda.translator
cl2cuda.translator.translate
print(any(meanwhile), gc.isenabled())
gc.disable()
cl2cuda.translator.translate("")
print(gc.isenabled())
"""], capture_output=True, text=True, timeout=600, env=environment())
    assert found.stdout.split() == ["False", "True", "False"], found.stderr
