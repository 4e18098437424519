"""Kernels: arguments and queries. On the fake driver, whose kernels see the parameters that a launch passes."""

import ctypes
import struct

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import pointers, words
from support.fake_kernels import launch, make
from support.kernel_facts import arg, kernel_info

from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError


def test_values_reach_the_kernel_in_order_and_aligned(fake):
    seen = {}

    def body(parameters, sizes):
        places = pointers(parameters, 5)
        seen["aligned"] = [place % align for place, align in zip(places, (1, 4, 16, 8, 128), strict=True)]
        seen["values"] = [ctypes.string_at(place, size) for place, size in zip(places, (1, 4, 16, 8, 128), strict=True)]

    info = kernel_info("f", arg("c", "value", 1), arg("i", "value", 4), arg("v", "value", 16), arg("p", "global"),
                       arg("d", "value", 128))
    kernel = make(fake, info, body)
    buffer = Buffer(fake.context, 0, 64)
    kernel.set_arg(0, b"x")
    kernel.set_arg(1, np.int32(-2))
    kernel.set_arg(2, np.arange(4, dtype=np.float32))
    kernel.set_arg(3, buffer)
    kernel.set_arg(4, bytes(range(128)))
    launch(fake, kernel)
    assert seen["aligned"] == [0] * 5
    assert seen["values"] == [b"x", struct.pack("i", -2), struct.pack("4f", 0, 1, 2, 3), struct.pack("Q", buffer.address),
                              bytes(range(128))]


MIXED = kernel_info("f", arg("c", "value", 1), arg("p", "global"), arg("i", "value", 4), arg("q", "constant"), arg("l", "value", 8))


def test_arguments_set_at_once_are_those_set_one_by_one(fake):
    seen = []

    def body(parameters, sizes):
        seen.append([ctypes.string_at(place, size) for place, size in zip(pointers(parameters, 5), (1, 8, 4, 8, 8), strict=True)])

    kernel, p, q = make(fake, MIXED, body), Buffer(fake.context, 0, 8), Buffer(fake.context, 0, 8)
    values = (b"a", p, np.int32(-2), q, np.uint64(7))
    for index, value in enumerate(values):
        kernel.set_arg(index, value)
    launch(fake, kernel)
    pack, order = kernel.arguments.packer(["b", None, "i", None, "Q"])
    numbers = (97, p.address, np.int64(-2), q.address, 7)
    for index, size in ((0, 1), (2, 4), (4, 8)):
        kernel.set_arg(index, bytes(size))
    pack(*(numbers[index] for index in order))
    launch(fake, kernel)
    assert seen[0] == seen[1]
    with pytest.raises(struct.error):
        pack(*(1 << 40 for _ in order))


def test_what_is_not_set_at_once(fake):
    packer = make(fake, MIXED).arguments.packer
    assert packer(["b", None, "i", None]) is None
    assert packer(["b", None, "q", None, "Q"]) is None  # not the size
    assert packer(["b", None, "s", None, "Q"]) is None
    assert packer(["b", None, None, None, "Q"]) is None
    assert packer(["b", "Q", "i", None, "Q"]) is None
    assert make(fake, kernel_info("g", arg("s", "local"))).arguments.packer([None]) is None
    assert make(fake, kernel_info("h")).arguments.packer([]) is None


def test_a_value_is_taken_when_it_is_set(fake):
    seen = []
    kernel = make(fake, kernel_info("f", arg("i", "value", 8)), lambda p, s: seen.extend(words(p, 1)))
    value = np.array([5], np.uint64)
    kernel.set_arg(0, value)
    value[0] = 6
    launch(fake, kernel)
    kernel.set_arg(0, value)
    launch(fake, kernel)
    assert seen == [5, 6]


def test_null_pointers_and_sub_buffers(fake):
    seen = []
    kernel = make(fake, kernel_info("f", arg("a", "global"), arg("b", "constant")), lambda p, s: seen.extend(words(p, 2)))
    buffer = Buffer(fake.context, 0, 1024)
    kernel.set_arg(0, None)
    kernel.set_arg(1, buffer.sub_buffer(0, 512, 64))
    launch(fake, kernel)
    assert seen == [0, buffer.address + 512]


def test_local_memory_is_laid_out_in_multiples_of_128(fake):
    seen = []

    def body(parameters, sizes):
        seen.append((sizes.dynamic_local, *(ctypes.c_uint32.from_address(place).value for place in pointers(parameters, 2))))

    info = kernel_info("f", arg("a", "local"), arg("first", "local", parameter=False), arg("b", "local"),
                       local_size=100, local_in_dynamic=True)
    kernel = make(fake, info, body)
    for index, size in enumerate((10, 200, 30)):
        kernel.set_arg(index, LocalMemory(size))
    launch(fake, kernel)
    # own variables 0..100, `first` 128..328, `a` 384..394, `b` 512..542
    assert seen == [(542, 384, 512)]
    kernel.set_arg(1, LocalMemory(1))
    launch(fake, kernel)
    assert seen[1] == (414, 256, 384)
    assert kernel.work_group_info(codes.KERNEL_LOCAL_MEM_SIZE) == 414


def test_arguments_that_are_forgotten_are_as_in_a_new_kernel(fake):
    kernel = make(fake, kernel_info("f", arg("n", "value", 4), arg("a", "local"), arg("m", "value", 4)))
    for index, value in enumerate((bytes(4), LocalMemory(200), bytes(4))):
        kernel.set_arg(index, value)
    launch(fake, kernel)
    kernel.arguments.forget((0, 1))
    assert kernel.work_group_info(codes.KERNEL_LOCAL_MEM_SIZE) == 0
    with pytest.raises(CLError, match=r"no value was set for argument 0 'n', 1 'a'$"):
        launch(fake, kernel)
    kernel.set_arg(0, bytes(4))
    kernel.set_arg(1, LocalMemory(200))
    launch(fake, kernel)
    assert kernel.work_group_info(codes.KERNEL_LOCAL_MEM_SIZE) == 200


def test_too_much_local_memory(fake):
    kernel = make(fake, kernel_info("f", arg("a", "local")))
    kernel.set_arg(0, LocalMemory((48 << 10) + 1))
    with pytest.raises(CLError, match=r"kernel 'f' needs 49153 bytes of local memory, the device has 49152"):
        launch(fake, kernel)


@pytest.mark.parametrize(("index", "value", "status", "message"), [
    (0, b"123", "INVALID_ARG_SIZE", "kernel 'f': argument 0 'n' (int) has 4 bytes, the given value has 3"),
    (0, None, "INVALID_ARG_VALUE", "argument 0 'n'"),
    (0, 5, "INVALID_ARG_VALUE", "takes the bytes of its value, not 5"),
    (1, b"12345678", "INVALID_ARG_VALUE", "argument 1 'out' (float*) takes a buffer or NULL"),
    (2, b"12", "INVALID_ARG_VALUE", "takes a size of local memory"),
    (2, LocalMemory(0), "INVALID_ARG_SIZE", "argument 2 'tile'"),
    (3, None, "INVALID_DEVICE_QUEUE", "takes a queue on a device of the kernel's context, not None"),
    (4, b"", "INVALID_ARG_INDEX", "kernel 'f' has 4 arguments"),
    (-1, b"", "INVALID_ARG_INDEX", "there is no argument -1"),
])
def test_what_arguments_refuse(fake, index, value, status, message):
    kernel = make(fake, kernel_info("f", arg("n", "value", 4, type_name="int"), arg("out", "global", type_name="float*"),
                                    arg("tile", "local"), arg("queue", "queue")))
    assert message in fails(status, kernel.set_arg, index, value)


def test_buffers_that_cannot_be_arguments(fake):
    kernel = make(fake, kernel_info("f", arg("out", "global")))
    fails("INVALID_MEM_OBJECT", kernel.set_arg, 0, Buffer(Context([fake.device]), 0, 8))
    released = Buffer(fake.context, 0, 8)
    released.release()
    fails("INVALID_MEM_OBJECT", kernel.set_arg, 0, released)


def test_missing_arguments_are_named(fake):
    kernel = make(fake, kernel_info("f", arg("a", "global"), arg("n", "value", 4), arg("tile", "local")))
    kernel.set_arg(1, bytes(4))
    assert "no value was set for argument 0 'a', 2 'tile'" in fails("INVALID_KERNEL_ARGS", launch, fake, kernel)


def test_a_kernel_keeps_no_buffer_alive(fake):
    kernel = make(fake, kernel_info("f", arg("out", "global")))
    buffer = Buffer(fake.context, 0, 8)
    kernel.set_arg(0, buffer)
    del buffer
    fake.context.reclaim_all()
    assert not fake.driver.memory


def test_a_held_launch_has_the_arguments_of_its_enqueue(fake):
    seen = []
    kernel = make(fake, kernel_info("f", arg("i", "value", 8)), lambda p, s: seen.extend(words(p, 1)))
    gate = UserEvent(fake.context)
    for value in (1, 2):
        kernel.set_arg(0, struct.pack("Q", value))
        launch(fake, kernel, wait_for=[gate] if value == 1 else [])
    kernel.set_arg(0, struct.pack("Q", 3))
    assert seen == []
    gate.set_status(0)
    assert seen == [1, 2]


def test_queries(fake):
    pointer = arg("a", "global", type_name="float*", address_qualifier="global", type_qualifiers=("const", "restrict"))
    info = kernel_info("f", pointer, attributes="reqd_work_group_size(8,4,1)", reqd_work_group_size=(8, 4, 1), local_size=64)
    kernel = make(fake, info)
    assert kernel.get_info(codes.KERNEL_FUNCTION_NAME) == "f"
    assert kernel.get_info(codes.KERNEL_NUM_ARGS) == 1
    assert kernel.get_info(codes.KERNEL_PROGRAM) is kernel.program
    assert kernel.get_info(codes.KERNEL_ATTRIBUTES) == "reqd_work_group_size(8,4,1)"
    assert kernel.get_arg_info(0, codes.KERNEL_ARG_NAME) == "a"
    assert kernel.get_arg_info(0, codes.KERNEL_ARG_TYPE_NAME) == "float*"
    assert kernel.get_arg_info(0, codes.KERNEL_ARG_ADDRESS_QUALIFIER) == codes.KERNEL_ARG_ADDRESS_GLOBAL
    assert kernel.get_arg_info(0, codes.KERNEL_ARG_ACCESS_QUALIFIER) == codes.KERNEL_ARG_ACCESS_NONE
    assert kernel.get_arg_info(0, codes.KERNEL_ARG_TYPE_QUALIFIER) == 3
    assert kernel.work_group_info(codes.KERNEL_WORK_GROUP_SIZE) == 512
    assert kernel.work_group_info(codes.KERNEL_COMPILE_WORK_GROUP_SIZE, fake.device) == (8, 4, 1)
    assert kernel.work_group_info(codes.KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) == 32
    assert kernel.work_group_info(codes.KERNEL_LOCAL_MEM_SIZE) == 64
    fails("INVALID_VALUE", kernel.work_group_info, codes.KERNEL_GLOBAL_WORK_SIZE)
    fails("INVALID_ARG_INDEX", kernel.get_arg_info, 1, codes.KERNEL_ARG_NAME)


def test_launch_waits_and_profiles_like_any_command(fake):
    kernel = make(fake, kernel_info("f"))
    queue = CommandQueue(fake.context, fake.device, codes.QUEUE_PROFILING_ENABLE)
    first = launch(fake, kernel)
    event = enqueue_nd_range_kernel(queue, kernel, 1, None, (8,), None, [first])
    assert event.command_type == codes.COMMAND_NDRANGE_KERNEL
    event.wait()
    assert first.status == codes.COMPLETE
    assert event.profile(codes.PROFILING_COMMAND_END) >= event.profile(codes.PROFILING_COMMAND_START)
