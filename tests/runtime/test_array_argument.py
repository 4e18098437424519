"""Arrays as arguments: which values are one, and what a kernel is given. On the fake driver, whose kernels see their parameters."""

import ctypes

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import FakeDevice, pointers, words
from support.fake_kernels import launch, make
from support.kernel_facts import kernel_info

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel import watch
from cl2cuda.runtime.kernel.array_argument import ArrayView, part_count
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.svm import Pointer, svm_alloc, svm_free
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator.ir.kernel_info import ArgInfo, KernelInfo


def array(name="a", dimensions=1, item_size=4, layout="C"):
    parts = part_count(dimensions)
    return ArgInfo(name, "float*", "global", 8 * parts, 8, "global", parts=parts, dimensions=dimensions, item_size=item_size, layout=layout)


@pytest.fixture
def given(fake):
    """What a kernel with one array is given."""

    def run(argument, value):
        seen = []
        kernel = make(fake, kernel_info(f"f{id(seen)}", argument), lambda p, s: seen.extend(words(p, argument.parts)))
        kernel.set_arg(0, value)
        launch(fake, kernel)
        assert seen[:2] == [0, 0]
        return seen[2:]

    return run


def test_a_buffer_is_all_elements_that_fit(fake, given):
    buffer = Buffer(fake.context, 0, 4096)
    assert given(array(), buffer) == [1024, 4, buffer.address, 1024, 4]
    part = buffer.sub_buffer(0, 1024, 64)
    assert given(array(item_size=8), part) == [8, 8, buffer.address + 1024, 8, 8]
    assert given(array(), None) == [0, 4, 0, 0, 4]
    assert given(array(dimensions=2), None) == [0, 4, 0, 0, 0, 0, 4]


def test_shared_memory_reaches_to_its_end(fake, given):
    address = svm_alloc(fake.context, codes.MEM_READ_WRITE, 256)
    assert given(array(), Pointer(address + 16)) == [60, 4, address + 16, 60, 4]
    kernel = make(fake, kernel_info("f", array()))
    kernel.set_arg_svm_pointer(0, address)
    assert not kernel.arguments.unset
    assert "no allocation" in fails("INVALID_ARG_VALUE", kernel.set_arg_svm_pointer, 0, 4096)
    svm_free(fake.context, address)


@pytest.mark.parametrize("layout, shape, strides, expected", [
    ("C", (3, 5), None, (20, 4)),
    ("F", (3, 5), None, (4, 12)),
    ("A", (3, 5), None, (20, 4)),
    ("A", (3, 5), (4, 100), (4, 100)),
    ("C", (3, 5, 2), None, (40, 8, 4)),
    ("F", (3, 5, 2), None, (4, 12, 60)),
    ("C", (1, 5), (7, 4), (7, 4)),  # a stride that is never taken
    ("C", (0, 5), (7, 4), (7, 4)),
])  # fmt: skip
def test_memory_with_a_shape(fake, given, layout, shape, strides, expected):
    buffer = Buffer(fake.context, 0, 4096)
    found = given(array(dimensions=len(shape), layout=layout), ArrayView(buffer, shape, strides, 8))
    assert found == [np.prod(shape), 4, buffer.address + 8, *shape, *expected]


def test_negative_strides(fake, given):
    buffer = Buffer(fake.context, 0, 64)
    found = given(array(layout="A"), ArrayView(buffer, (16,), (-4,), 60))
    assert found[2] == buffer.address + 60 and ctypes.c_int64(found[-1]).value == -4


@pytest.mark.parametrize("argument, value, reason", [
    (array(item_size=8), lambda b: b, "elements of 8 bytes, of which 100 bytes are no multiple"),
    (array(dimensions=2), lambda b: b, "does not say its shape"),
    (array(), lambda b: ArrayView(b, (5, 5)), "an array of 1 dimensions, not of the shape (5, 5)"),
    (array(), lambda b: ArrayView(b, (26,)), "at the bytes from 0 to 104 of memory of 100"),
    (array(), lambda b: ArrayView(b, (25,), None, 4), "at the bytes from 4 to 104"),
    (array(layout="A"), lambda b: ArrayView(b, (3,), (-4,)), "at the bytes from -8 to 4"),
    (array(), lambda b: ArrayView(b, (12,), (8,)), "without gaps in C order"),
    (array(dimensions=2, layout="F"), lambda b: ArrayView(b, (2, 3), (12, 4)), "without gaps in F order"),
    (array(), lambda b: ArrayView(b, (2,), None, 2), "starts at byte 2"),
    (array(), lambda b: ArrayView(b, (-1,)), "the shape (-1,)"),
    (array(), lambda b: ArrayView(b, (4,), item_size=8), "elements of 4 bytes, not of 8"),
    (array(), lambda b: 5, "not 5"),
    (array(), lambda b: b"1234", "not b'1234'"),
    (array(), lambda b: ArrayView(object(), (4,)), "takes an array"),
])  # fmt: skip
def test_what_is_no_such_array(fake, argument, value, reason):
    kernel = make(fake, kernel_info("f", argument))
    message = fails("INVALID_ARG_VALUE", kernel.set_arg, 0, value(Buffer(fake.context, 0, 100)))
    assert "argument 0 'a' (float*)" in message and reason in message
    assert kernel.arguments.unset == {0}


def test_buffers_that_cannot_be_used(fake):
    kernel = make(fake, kernel_info("f", array()))
    released = Buffer(fake.context, 0, 64)
    released.release()
    fails("INVALID_MEM_OBJECT", kernel.set_arg, 0, released)
    fails("INVALID_MEM_OBJECT", kernel.set_arg, 0, ArrayView(Buffer(Context([fake.device]), 0, 64), (4,)))


def test_debug_mode_tells_the_shape(fake):
    kernel = make(fake, kernel_info("f", array(dimensions=2)))
    kernel.set_arg(0, ArrayView(buffer := Buffer(fake.context, 0, 64), (3, 5)))
    assert watch._described(kernel.arguments) == [f"argument 0, float* a = {buffer.address:#x}, in no buffer, of shape (3, 5)"]


def test_values_that_are_spread_over_parameters(fake):
    seen = []
    info = kernel_info("f", ArgInfo("t", "short4", "value", 8, 2, parts=4), ArgInfo("z", "double2", "value", 16, 8, parts=2))
    kernel = make(fake, info, lambda p, s: seen.extend(pointers(p, 6)))
    kernel.set_arg(0, np.array([1, 2, 3, 4], np.int16))
    kernel.set_arg(1, np.complex128(5 + 6j))
    launch(fake, kernel)
    assert [ctypes.c_int16.from_address(place).value for place in seen[:4]] == [1, 2, 3, 4]
    assert [ctypes.c_double.from_address(place).value for place in seen[4:]] == [5, 6]
    assert "has 8 bytes, the given value has 4" in fails("INVALID_ARG_SIZE", kernel.set_arg, 0, b"1234")


def test_arrays_move_with_their_memory(fake):
    """In a context of two devices each launch is given the address that the memory has there; a clone has the same arrays."""
    devices = [Device(platforms.Platform(), "fake", FakeDevice()) for _ in range(2)]
    context = Context(devices)
    seen = []
    info = KernelInfo("f", (array(layout="A"),))
    fake.kernels[:] = [info]
    for device in devices:
        device.driver_device.bodies["f"] = lambda p, s: seen.append(words(p, 7))
    program = Program(context, "f two devices")
    program.build()
    kernel = Kernel(program, "f")
    buffer = Buffer(context, 0, 64)
    kernel.set_arg(0, ArrayView(buffer, (4,), (8,), 16))
    for device, each in zip(devices, (kernel, kernel.clone()), strict=True):
        launch(type(fake)(queue=CommandQueue(context, device)), each)
        assert seen.pop() == [0, 0, 4, 4, buffer.address_on(device) + 16, 4, 8]
    kernel.set_arg(0, None)
    launch(type(fake)(queue=CommandQueue(context, devices[0])), kernel)
    assert seen.pop() == [0, 0, 0, 4, 0, 0, 4]
