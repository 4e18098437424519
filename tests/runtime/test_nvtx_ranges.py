"""NVTX ranges: what a tool is told of queues and commands. The tool is tests/support/nvtx_listener.c."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from support.processes import environment

from cl2cuda.opencl_icd.build import compilers
from cl2cuda.runtime.process import nvtx_ranges, trace
from cl2cuda.runtime.queue.create import create_command_queue

LISTENER = Path(__file__).parents[1] / "support" / "nvtx_listener.c"
PROGRAM = """
import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
in_order, out_of_order = cl.CommandQueue(context), cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
program = cl.Program(context, "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }").build()
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
cl.enqueue_fill_buffer(in_order, buffer, b"abcd", 0, 256).wait()
program.twice(out_of_order, (64,), None, buffer).wait()
cl.enqueue_copy(in_order, np.empty(64, np.int32), buffer)
"""


@pytest.fixture
def listened(tmp_path):
    """From a program's text and the driver's name to the calls that a tool gets from it."""
    pytest.importorskip("nvtx")
    if not compilers():
        pytest.skip("no C compiler")
    library, heard, script = tmp_path / "listener.so", tmp_path / "heard.txt", tmp_path / "program.py"
    subprocess.run([*compilers()[0], "-shared", "-fPIC", "-O1", str(LISTENER), "-o", str(library)], check=True)

    def run(text, driver):
        script.write_text(text)
        variables = environment(CL2CUDA_NVTX="1", CL2CUDA_DEVICE=driver, NVTX_INJECTION64_PATH=str(library), NVTX_LISTENER=str(heard))
        subprocess.run([sys.executable, "-m", "cl2cuda", "run", str(script)], env=variables, check=True)
        return [line.split("|") for line in heard.read_text().splitlines()]

    return run


def test_each_command_is_a_range_in_its_queues_domain(real_device, listened):
    calls = listened(PROGRAM, real_device.driver_name)
    first, second = (f"{real_device.properties.name}, queue {number}" for number in (1, 2))
    categories = {(domain, number): name for kind, domain, number, name in (call for call in calls if call[0] == "category")}
    pushed = [(call[1], categories[call[1], call[2]], call[3]) for call in calls if call[0] == "push"]
    assert pushed[0] == ("cl2cuda", "host", "clBuildProgram")  # parts of the build may be ranges inside it
    assert [each for each in pushed if each[:2] != ("cl2cuda", "host")] == [
        (first, "fill_buffer", "fill_buffer"), (second, "ndrange_kernel", "twice"), (first, "read_buffer", "read_buffer")]
    assert sorted(call[1] for call in calls if call[0] == "pop") == sorted(domain for domain, *_ in pushed)


def test_queues_have_none_where_nobody_asked(fake, monkeypatch):
    monkeypatch.setattr(nvtx_ranges, "_wanted", False)
    queue = create_command_queue(fake.context, fake.device)
    assert queue.ranges is None and not queue.needs_full_submit


def test_without_the_package_a_warning_says_what_to_install(fake, monkeypatch):
    monkeypatch.setattr(nvtx_ranges, "_wanted", True)
    monkeypatch.setitem(sys.modules, "nvtx", None)
    with pytest.warns(RuntimeWarning, match=r"pip install 'cl2cuda\[nvtx\]'"):
        assert create_command_queue(fake.context, fake.device).ranges is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with trace.span("something"):
            pass
