"""Sub-devices: how a device is divided, what the parts are, and work on them."""

import dataclasses
import threading

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import FakeDevice

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.partition import create_sub_devices
from cl2cuda.runtime.host.device import HostDevice
from cl2cuda.runtime.host.properties import host_properties
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

EQUALLY, BY_COUNTS, BY_AFFINITY = 0x1086, 0x1087, 0x1088

SOURCE = "kernel void f(global int *a) { int s = 0; for (int i = 0; i < 100; i++) s += i ^ (int)get_global_id(0); a[get_global_id(0)] = s; }"


def host(units):
    driver = HostDevice(dataclasses.replace(host_properties(), compute_units=units))
    return Device(platforms.platforms()[0], "host", driver)


@pytest.mark.parametrize(("properties", "units"), [
    ((EQUALLY, 4), [4, 4]), ((EQUALLY, 3, 0), [3, 3]), ((EQUALLY, 7, 0), [7]), ((EQUALLY, 1), [1] * 8),
    ((BY_COUNTS, 3, 1, 0, 0), [3, 1]), ((BY_COUNTS, 8, 0), [8]), ((BY_COUNTS, 5), [5]),
])
def test_parts_have_their_compute_units(properties, units):
    whole = host(8)
    parts = create_sub_devices(whole, properties)
    assert [part.get_info(0x1002) for part in parts] == units
    for part in parts:
        assert part.get_info(0x1042) is whole and part.get_info(0x1046)[: len(properties)] == properties
        assert part.get_info(0x1046)[-1] == 0 and part.get_info(0x1047) == 1 and part.platform is whole.platform
    assert whole.get_info(0x1042) is None and whole.get_info(0x1046) == ()


def test_what_a_device_says_of_its_division():
    assert host(8).get_info(0x1044) == (EQUALLY, BY_COUNTS) and host(8).get_info(0x1043) == 8
    assert host(1).get_info(0x1044) == (0,) and host(1).get_info(0x1043) == 1
    assert host(8).get_info(0x1045) == 0


def test_how_a_device_is_not_divided():
    for properties in ((), (EQUALLY,), (EQUALLY, 0), (EQUALLY, -1), (EQUALLY, 2, 2), (BY_COUNTS,), (BY_COUNTS, 0), (BY_COUNTS, 1, 0, 2),
                       (BY_AFFINITY, 1), (0x1234, 1)):
        fails("INVALID_VALUE", create_sub_devices, host(8), properties)
    for properties in ((BY_COUNTS, 5, 4), (BY_COUNTS, *[1] * 9), (BY_COUNTS, -1, 2)):
        fails("INVALID_DEVICE_PARTITION_COUNT", create_sub_devices, host(8), properties)
    fails("DEVICE_PARTITION_FAILED", create_sub_devices, host(8), (EQUALLY, 8))
    fails("DEVICE_PARTITION_FAILED", create_sub_devices, host(8), (EQUALLY, 9))
    fails("DEVICE_PARTITION_FAILED", create_sub_devices, host(1), (EQUALLY, 1))


def test_devices_that_cannot_be_divided(device):
    if device.driver_name == "host":
        pytest.skip("it can")
    assert device.get_info(0x1044) == (0,) and device.get_info(0x1043) == 1
    fails("INVALID_VALUE", create_sub_devices, device, (EQUALLY, 1))


def test_work_on_parts_and_the_whole():
    """The parts share a context; each runs kernels on threads of its own."""
    whole = host(4)
    parts = create_sub_devices(whole, (BY_COUNTS, 1, 3))
    again = create_sub_devices(parts[1], (EQUALLY, 1))
    devices = [whole, *parts, again[2]]
    context = Context(devices)
    program = Program(context, SOURCE)
    program.build()
    n = 200_000
    expected = sum(i ^ np.arange(n) for i in range(100))
    for device in devices:
        queue = CommandQueue(context, device)
        kernel = Kernel(program, "f")
        buffer = Buffer(context, 0, 4 * n)
        kernel.set_arg(0, buffer)
        enqueue_nd_range_kernel(queue, kernel, 1, None, (n,), None)
        back = np.zeros(n, np.int32)
        enqueue_read_buffer(queue, buffer, True, 0, back)
        assert (back == expected).all()


def test_parts_use_what_is_built_for_the_device_that_they_are_of():
    """But for what is built for themselves, or for a device between."""
    whole = host(4)
    parts = create_sub_devices(whole, (BY_COUNTS, 1, 3))
    again = create_sub_devices(parts[1], (EQUALLY, 1))[2]
    context = Context([*parts, again, whole])
    program = Program(context, SOURCE.replace("s;", "s + N;"))

    def results():
        kernel, buffer, found = Kernel(program, "f"), Buffer(context, 0, 4), []
        kernel.set_arg(0, buffer)
        for device in context.devices:
            enqueue_nd_range_kernel(queue := CommandQueue(context, device), kernel, 1, None, (1,), None)
            enqueue_read_buffer(queue, buffer, True, 0, back := np.zeros(1, np.int32))
            found.append(int(back[0]) - sum(range(100)))
        return found

    program.build("-DN=1", [whole])
    assert results() == [1, 1, 1, 1]
    assert [program.build_status(device) for device in context.devices] == [codes.BUILD_SUCCESS] * 4
    assert program.build_options(again) == "-DN=1" and program.binary(again) is program.binary(whole)
    program.build("-DN=2", [parts[1]])
    assert results() == [1, 2, 2, 1]
    program.build("-DN=3", [whole])
    assert results() == [3, 2, 2, 3]
    done = threading.Event()
    program.build("-DN=4", [whole, again], lambda of: done.set())
    assert done.wait(60) and results() == [4, 2, 4, 4]
    fails("BUILD_PROGRAM_FAILURE", program.build, "-DN=wrong", [whole])
    assert [program.build_status(device) for device in context.devices] == [codes.BUILD_ERROR, *[codes.BUILD_SUCCESS] * 2, codes.BUILD_ERROR]
    assert "wrong" in program.build_log(parts[0])


def test_no_device_uses_what_is_built_for_its_parts():
    whole = host(4)
    parts = create_sub_devices(whole, (EQUALLY, 2))
    context = Context([whole, *parts])
    program = Program(context, SOURCE)
    program.build(None, parts[:1])
    assert [program.build_status(device) for device in context.devices] == [codes.BUILD_NONE, codes.BUILD_SUCCESS, codes.BUILD_NONE]
    again = Program.from_binaries(context, parts, [program.binaries()[1]] * 2)
    again.build(None, parts[:1])
    assert [again.build_status(device) for device in parts] == [codes.BUILD_SUCCESS, codes.BUILD_NONE]


def test_a_part_runs_on_no_more_threads_than_it_has():
    """One thread is the calling one: the launch starts no other. (One that has nothing to do any more may end meanwhile.)"""
    source = """
    kernel void f(global long *seen) {
        long id = 0;
        for (volatile int i = 0; i < 2000; i++) id += i;
        seen[get_global_id(0)] = id;
    }"""
    (part,) = create_sub_devices(host(4), (BY_COUNTS, 1))
    pool = part.driver_device.open_stream().pool
    assert pool.threads == 1
    context = Context([part])
    program = Program(context, source)
    program.build()
    kernel = Kernel(program, "f")
    kernel.set_arg(0, Buffer(context, 0, 8 * 5000))
    before = threads()
    enqueue_nd_range_kernel(CommandQueue(context, part), kernel, 1, None, (5000,), None)
    assert threads() <= before


def threads():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("Threads:"))


def test_a_fake_device_can_be_divided_too():
    class Divisible(FakeDevice):
        def partition(self, units):
            return FakeDevice(compute_units=units)

    device = Device(object(), "fake", Divisible())
    assert [part.get_info(0x1002) for part in create_sub_devices(device, (EQUALLY, 2))] == [2, 2]
    assert codes.DEVICE_PARTITION_BY_COUNTS in device.get_info(0x1044)
