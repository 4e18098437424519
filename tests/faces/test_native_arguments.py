"""Arguments of kernels that are called in C (runtime/native/arguments.c): they are written as Python writes them, and refused as it refuses
them."""

from __future__ import annotations

import numpy as np
import pytest
from support.launch_bench import DEVICES, IN_C, Launches

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

NUMBERS = "char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j"
TAKES = f"kernel void takes(global uint *x, {NUMBERS}, constant float *y) {{ if (x) x[0] = a; }}"
FORMATS = [None, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64, None]
VALUES = [0, 1, -1, 127, 128, 255, 256, -128, -129, 2**15, 2**16, 2**31 - 1, 2**31, 2**32, -(2**31) - 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
          True, 0.0, -0.0, 0.5, 1e-45, 3.4028235e38, 3.4028236e38, 1e39, -1e39, float("inf"), float("-inf"), float("nan"), "text", None,
          1j, b"\1\2\3\4", np.float32(2.5), np.float64(-2.5), np.float16(3), np.int32(-7), np.uint64(2**63), np.int64(-1), np.bool_(True),
          np.complex64(1), np.array(5), np.array([1, 2], np.int32), np.void(b"12345678"), np.longlong(3), np.ulonglong(3)]


@pytest.fixture(params=DEVICES, ids=lambda device: device.name)
def launches(request):
    return Launches(request.param)


class Takes:
    """Two kernels of the same arguments, one that is called in C and one in Python."""

    def __init__(self, device, types):
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, TAKES).build()
        self.buffers = [cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 64) for _ in range(2)]
        self.plain = [self.buffers[0], *[kind(3) for kind in FORMATS[1:-1]], self.buffers[1]]
        self.kernels = [cl.Kernel(program, "takes") for _ in range(2)]
        for kernel in self.kernels:
            if types:
                kernel.set_arg_types(FORMATS)
            kernel(self.queue, (1,), (1,), *self.plain)
        assert self.kernels[0]._packing

    def both(self, *arguments):
        """What is in the blocks then, or the error: by C, and by Python."""
        found = []
        for kernel, call in zip(self.kernels, (lambda k: k, lambda k: k._call_in_python), strict=True):
            try:
                call(kernel)(self.queue, (1,), (1,), *arguments)
            except Exception as error:
                found.append((type(error), str(error)))
            found.append([kernel._core.arguments.value_bytes(index) for index in range(len(FORMATS))])
        return found[: len(found) // 2], found[len(found) // 2 :]


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("types", [False, True], ids=["NumPy's numbers", "declared types"])
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_arguments_are_written_as_python_writes_them(device, types):
    takes = Takes(device, types)
    for index in range(1, len(FORMATS) - 1):
        for value in VALUES:
            arguments = [*takes.plain[:index], value, *takes.plain[index + 1 :]]
            native, python = takes.both(*arguments)
            assert native == python, (index, value)
            takes.both(*takes.plain)


@pytest.mark.parametrize("types", [False, True], ids=["NumPy's numbers", "declared types"])
@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_pointers_are_written_as_python_writes_them(device, types):
    takes = Takes(device, types)
    released, part = cl.Buffer(takes.context, cl.mem_flags.READ_WRITE, 64), cl.Buffer(takes.context, cl.mem_flags.READ_WRITE, 4096)
    released.release()
    elsewhere = cl.Buffer(cl.Context([device]), cl.mem_flags.READ_WRITE, 64)
    for value in (takes.buffers[1], part, part[1024:2048], released, elsewhere, None, cl.LocalMemory(16), 5, np.int64(5), takes.queue, "text"):
        for index in (0, len(FORMATS) - 1):
            native, python = takes.both(*takes.plain[:index], value, *takes.plain[index + 1 :])
            assert native == python, (index, value)


def test_calls_that_are_not_plain(launches):
    kernel, queue, one = launches.kernel, launches.queue, np.uint32(1)
    for _ in range(2):
        event = kernel(queue, (64,), (16,), launches.x, one)
        kernel(queue, (64,), (16,), launches.x, one, wait_for=[event])
        kernel(queue, (64,), (16,), launches.x, one, wait_for=(), g_times_l=False, allow_empty_ndrange=False)
        kernel(queue, (64,), (16,), launches.x, one, global_offset=(0,))
        kernel(queue, (0,), None, launches.x, one, allow_empty_ndrange=True)
        launches.expected += 2
        kernel(queue, (4,), (16,), launches.x, one, g_times_l=True)
        kernel(queue, [64], None, launches.x, one)
        launches.expected += 4
    for wrong in ({"global_work_offset": None}, {"waits": None}, {"queue": queue}, {"wait_for": [None]}):
        found = []
        for call in (kernel, kernel._call_in_python):
            with pytest.raises(Exception) as failure:
                call(queue, (64,), (16,), launches.x, one, **wrong)
            found.append((failure.type, str(failure.value).replace("_call_in_python", "__call__")))
        assert found[0] == found[1]
    for wrong in ((), (queue,), (queue, (64,), (16,), launches.x), (queue, (64,), (16,), launches.x, one, one), (None, (64,), None, launches.x, one)):
        with pytest.raises((TypeError, AttributeError, cl.Error)):
            kernel(*wrong)
    launches.check()


def test_a_kernel_whose_arguments_are_not_set_yet(launches):
    """The first call is Python's, the second is C's; types may be declared later."""
    kernel = cl.Kernel(launches.program, "add")
    assert kernel._packing is None
    for _ in range(3):
        kernel(launches.queue, (64,), (16,), launches.x, np.uint32(2))
    kernel.set_arg_types([None, np.uint32])
    for number in (3, np.uint8(4), 5):
        kernel(launches.queue, (64,), (16,), launches.x, number)
    launches.expected += 3 * 2 + 12
    launches.check()


OTHERS = """
kernel void local_sum(global int *a, local int *mine, int by) {
    mine[get_local_id(0)] = by; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = mine[0] + get_local_size(0); }
kernel void look(read_only image2d_t image, sampler_t s, global int *a, int by) {
    a[get_global_id(0)] = read_imagei(image, s, (int2)(0, 0)).x + by; }
kernel void maybe(global int *a, global int *b, int by) { a[get_global_id(0)] = b ? by : -by; }
"""


@pytest.fixture
def others(launches):
    if not launches.context.devices[0].image_support:
        pytest.skip("no images")
    return cl.Program(launches.context, OTHERS).build()


def test_arguments_that_are_more_than_memory_have_their_setters_called(launches, others, monkeypatch):
    """Sizes of local memory, images and samplers; NULL for pointers; in turn, each time as Python sets them."""
    queue, context, a, found = launches.queue, launches.context, launches.x, np.zeros(64, np.int32)
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.SIGNED_INT32)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    images = [cl.create_image(context, flags, form, (4, 4), hostbuf=np.full(64, number, np.int32)) for number in (3, 5)]
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    local_sum, look, maybe = (cl.Kernel(others, name) for name in ("local_sum", "look", "maybe"))
    calls = [(local_sum, (a, cl.LocalMemory(4 * 16), np.int32(7)), 7 + 16), (local_sum, (a, cl.LocalMemory(4 * 64), np.int32(8)), 8 + 16)]
    calls += [(look, (image, sampler, a, np.int32(9)), number + 9) for image, number in zip(images, (3, 5), strict=True)]
    calls += [(maybe, (a, None, np.int32(2)), -2), (maybe, (a, a, np.int32(3)), 3)]
    for kernel, arguments, _ in calls:
        kernel(queue, (64,), (16,), *arguments)  # Python's, with which all have had a value

    def refused(self, *words):
        raise AssertionError(words)

    monkeypatch.setattr(cl.Kernel, "_call_in_python", refused)
    monkeypatch.setattr(cl.Kernel, "_arguments_in_python", refused)
    for turn in range(3):
        for kernel, arguments, expected in calls[:: 1 if turn % 2 else -1]:
            kernel(queue, (64,), (16,), *arguments)
            cl.enqueue_copy(queue, found, a)
            assert (found == expected).all(), (arguments, found)
            kernel.set_args(*arguments)
            IN_C(queue, kernel, (64,), (16,))
            cl.enqueue_copy(queue, found, a)
            assert (found == expected).all(), (arguments, found)


def test_wrong_ones_are_refused_as_python_refuses_them(launches, others):
    kernel, a, one = cl.Kernel(others, "local_sum"), launches.x, np.int32(1)
    kernel.set_args(a, cl.LocalMemory(64), one)
    for wrong in (None, a, 64, (cl.LocalMemory(64),), [cl.LocalMemory(64)], cl.LocalMemory(0), np.int32(64)):
        found = []
        for call in (kernel.set_args, kernel._arguments_in_python):
            with pytest.raises((cl.Error, TypeError)) as failure:
                call(a, wrong, one)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]
    with pytest.raises(cl.LogicError, match="INVALID_ARG_VALUE"):
        kernel.set_args(a, cl.LocalMemory(64), None)
    kernel(launches.queue, (64,), (16,), a, cl.LocalMemory(64), one)
