"""Fills with wide patterns by a kernel, and the numbers of such kernels: over a CUDA that is imagined, from Python and from code in C, of programs in C, too."""

from __future__ import annotations

import os
import re
import time

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import driver_arrays
from support.filling_cuda import FillingCuda
from support.imagined_device import device_of
from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda import own_kernels
from cl2cuda.runtime.native import build
from cl2cuda.runtime.process import ending

SIZE = 3 * own_kernels.BY_COPY // 2 + 8  # no whole blocks
WIDE = [np.arange(width // 8, dtype=np.uint64).tobytes() for width in (16, 32, 64, 128)] + [b"abcdefgh"]


class Bench:
    def __init__(self, *, fills_some=True, **named):
        self.cuda = FillingCuda(**named)
        device = device_of(self.cuda)
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        self.buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 64 << 10)
        self.kernel = self.queue._core.device.driver_device.context.fill_kernel
        if fills_some:
            self.fill_some()
        self.fill(b"\0", 0, 64 << 10)
        self.cuda.calls.clear()

    def fill_some(self):
        """More than few wide ones, since when the kernel is there."""
        for _ in range(own_kernels.FEW + 1):
            assert self.cuda.loaded == 0
            self.fill(b"abcdefgh", 0, 64 << 10)
        self.kernel.wait()

    def fill(self, pattern, offset, size):
        cl.enqueue_fill_buffer(self.queue, self.buffer, pattern, offset, size)

    def contents(self):
        found = np.zeros(64 << 10, np.uint8)
        cl.enqueue_copy(self.queue, found, self.buffer)
        return found.tobytes()


@pytest.mark.parametrize("pattern", WIDE, ids=lambda pattern: str(len(pattern)))
def test_a_wide_fill_is_one_launch(pattern):
    bench = Bench()
    size = -(-SIZE // 128) * 128 + len(pattern)
    for turn in range(3):
        bench.fill(pattern, 128 * turn, size)
        assert bench.cuda.calls == ["kernel"]
        found = bench.contents()
        assert found[128 * turn :][:size] == pattern * (size // len(pattern))
        assert not found[128 * turn + size]
        bench.fill(b"\0", 0, 64 << 10)
        bench.cuda.calls.clear()
    assert bench.cuda.loaded == 1


def test_little_and_narrow_fills_are_as_before():
    bench = Bench()
    bench.fill(b"abcdefgh", 0, own_kernels.BY_COPY)
    bench.fill(b"abcdabcd", 0, 64 << 10)
    assert "kernel" not in bench.cuda.calls and bench.contents() == b"abcd" * (16 << 10)
    bench.fill(b"abcdefghABCDEFGH", 0, 64 << 10)
    assert bench.contents() == b"abcdefghABCDEFGH" * (4 << 10) and bench.cuda.loaded == 1


def test_few_fills_are_copies():
    bench = Bench(fills_some=False)
    for _ in range(own_kernels.FEW):
        bench.fill(b"abcdefgh", 0, 64 << 10)
        assert bench.contents() == b"abcdefgh" * (8 << 10)
    bench.kernel.wait()
    assert "kernel" not in bench.cuda.calls and bench.cuda.loaded == 0 and bench.kernel.word.value == own_kernels.UNKNOWN


def test_without_the_module_fills_are_copies():
    bench = Bench(refused=True)
    for _ in range(3):
        bench.fill(b"abcdefgh", 0, 64 << 10)
        assert bench.contents() == b"abcdefgh" * (8 << 10)
    assert "kernel" not in bench.cuda.calls and bench.cuda.loaded == 1


def test_threads_load_one_module():
    bench = Bench(fills_some=False)
    run_together(lambda: [bench.fill(b"abcdefgh", 0, 64 << 10) for _ in range(own_kernels.FEW)], *[()] * 4)
    bench.kernel.wait()
    bench.fill(b"abcdefgh", 0, 64 << 10)
    assert bench.cuda.loaded == 1 and bench.cuda.calls[-1] == "kernel" and bench.contents() == b"abcdefgh" * (8 << 10)


def test_the_end_of_a_program_in_c_waits_for_the_compiler(monkeypatch):
    bench = Bench(fills_some=False)
    load = bench.cuda.driver.moduleLoadData
    bench.cuda.driver.moduleLoadData = lambda code: (time.sleep(0.1), load(code))[1]
    for _ in range(own_kernels.FEW + 1):
        bench.fill(b"abcdefgh", 0, 64 << 10)
    assert bench.cuda.loaded == 0 and bench.contents() == b"abcdefgh" * (8 << 10)
    monkeypatch.setattr(ending._State, "begun", False)
    ending.begin()
    assert bench.cuda.loaded == 1


def test_a_launch_that_cuda_refuses_is_told():
    bench = Bench()
    bench.fill(b"abcdefgh", 0, 64 << 10)
    bench.cuda.status = 700
    with pytest.raises(cl.Error):
        bench.fill(b"abcdefgh", 0, 64 << 10)


def test_programs_in_c():
    assert driver_arrays.run("""
buffer = handle("clCreateBuffer", cl_context, W(0), W(1 << 16), None)

def fill_buffer(pattern, offset=0, size=1 << 16):
    ok(cl.clEnqueueFillBuffer(queue, buffer, pattern, W(len(pattern)), W(offset), W(size), 0, None, None))

for _ in range(5):
    fill_buffer(b"abcdefgh")
cuda_context = application.core(queue.value, "Q").device.driver_device.context
cuda_context.fill_kernel.wait()
for pattern in (b"ABCDEFGHabcdefgh", b"qwertzuiopasdfghQWERTZUIOPASDFGH", b"12345678"):
    fill_buffer(pattern)
    last = taken()
    assert contents(buffer, 1 << 16) == pattern * ((1 << 16) // len(pattern))
    taken()
assert last == "kernel" and cuda.loaded == 1
fill_buffer(bytes(16), 16, 1 << 15)
assert taken() == "fill"
floats = new_image(type=FLOATS)
color = (ctypes.c_float * 4)(1, 2, 3, 4)
for _ in range(3):
    ok(fill(floats, color))
assert pixels(floats, width=16) == bytes(color) * 48
""", driver_arrays.IMAGES, "FillingCuda") == ""


def test_the_numbers_of_code_in_c():
    text = "".join(build.HERE.joinpath(name).read_text() for name in ("own_kernels.h", "stream_fills.h", "sharing.h"))
    found = dict(re.findall(r"(WIDEST|UNIT|UNIT_THREADS|FILLED_BY_COPY|COPIED_BY_KERNEL|NOT_ASKED_FOR|NO_KERNEL) = (\d+(?: << \d+)?)", text))
    assert {name: eval(number) for name, number in found.items()} == {
        "WIDEST": own_kernels.WIDEST, "UNIT": own_kernels.UNIT, "UNIT_THREADS": own_kernels.THREADS, "FILLED_BY_COPY": own_kernels.BY_COPY,
        "COPIED_BY_KERNEL": own_kernels.COPIED, "NOT_ASKED_FOR": own_kernels.UNKNOWN, "NO_KERNEL": own_kernels.NONE}
