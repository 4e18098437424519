"""Contexts: their properties, devices of several kinds in one, and what they refuse."""

import contextlib

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import FakeDevice

from cl2cuda.runtime.commands.buffer import enqueue_copy_buffer, enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError, DriverMissing
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.svm import svm_alloc, svm_free
from cl2cuda.runtime.process import host_memory
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


def test_properties_are_given_back(device):
    properties = ((codes.CONTEXT_PLATFORM, platforms.platforms()[0]), (codes.CONTEXT_INTEROP_USER_SYNC, 1))
    context = Context([device], properties)
    assert context.get_info(codes.CONTEXT_PROPERTIES) == properties
    assert context.get_info(codes.CONTEXT_DEVICES) == (device,) and context.get_info(codes.CONTEXT_NUM_DEVICES) == 1
    assert context.get_info(codes.CONTEXT_REFERENCE_COUNT) == 1
    assert Context([device]).get_info(codes.CONTEXT_PROPERTIES) == ()
    assert Context([device, device]).get_info(codes.CONTEXT_DEVICES) == (device,)
    fails("INVALID_VALUE", context.get_info, 0x7777)


def test_what_cannot_be_created(device):
    fails("INVALID_VALUE", Context, [])
    fails("INVALID_DEVICE", Context, ["device"])
    fails("INVALID_PLATFORM", Context, [device], ((codes.CONTEXT_PLATFORM, None),))
    sync = (codes.CONTEXT_INTEROP_USER_SYNC, 0)
    for properties in (((0x1234, 1),), (sync, sync), ((codes.CONTEXT_INTEROP_USER_SYNC, 2),), ((codes.CONTEXT_TERMINATE_KHR, 1),)):
        fails("INVALID_PROPERTY", Context, [device], properties)


def test_no_device_ends_commands_that_run(device):
    assert device.get_info(0x2031) == 0 and "cl_khr_terminate_context" not in dict(device.extensions)
    fails("INVALID_OPERATION", Context([device], ((codes.CONTEXT_TERMINATE_KHR, 0),)).terminate)


def test_one_device_is_made_ready_before_its_first_use():
    """Several are not, and what goes wrong the first command says."""
    made, devices = [], [Device(platforms.platforms()[0], "fake", FakeDevice()) for _ in range(2)]
    for device in devices:
        device.driver_device.make_ready = lambda: made.append(1)
    Context(devices).make_ready()
    assert made == []
    Context(devices[:1]).make_ready()
    assert made == [1]

    def fail():
        raise DriverError("no memory is left", "OUT_OF_RESOURCES")

    devices[0].driver_device.make_ready = fail
    Context(devices[:1]).make_ready()


def real_devices():
    found = []
    for name in ("cuda", "host"):
        with contextlib.suppress(DriverMissing):
            found += [Device(platforms.platforms()[0], name, one) for one in platforms.load_driver(name).devices()[:1]]
    return found


def test_both_kinds_of_device_in_one_context():
    """Contents follow the commands; a program is built for both; shared memory has one address on both."""
    devices = real_devices()
    if len(devices) < 2:
        pytest.skip("the machine has one kind of device")
    context = Context(devices)
    program = Program(context, "kernel void add(global int *a, int by) { a[get_global_id(0)] += by; }")
    program.build()
    kernel = Kernel(program, "add")
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=np.zeros(1000, np.int32))
    address = svm_alloc(context, 0, 4000)
    memory = np.frombuffer(host_memory.view(address, 4000, None), np.int32)
    memory[:] = 0
    event = ()
    for round, device in enumerate(devices * 2):
        queue = CommandQueue(context, device)
        for set_memory in (lambda: kernel.set_arg(0, buffer), lambda: kernel.set_arg_svm_pointer(0, address)):
            set_memory()
            kernel.set_arg(1, np.int32(10**round))
            event = (enqueue_nd_range_kernel(queue, kernel, 1, None, (1000,), None, event),)
    event[0].wait()
    back = np.zeros(1000, np.int32)
    enqueue_read_buffer(queue, buffer, True, 0, back)
    assert (back == 1111).all() and (memory == 1111).all()
    svm_free(context, address)


def test_copies_between_the_devices_of_a_context(fake):
    devices = [fake.device, Device(fake.device.platform, "fake", FakeDevice())]
    context = Context(devices)
    first, second = (CommandQueue(context, device) for device in devices)
    source, target = Buffer(context, 0, 64), Buffer(context, 0, 64)
    enqueue_fill_buffer(first, source, b"ab", 0, 64)
    done = enqueue_copy_buffer(second, source, target, 0, 0, 64)
    back = bytearray(64)
    enqueue_read_buffer(first, target, True, 0, back, (done,))
    assert back == b"ab" * 32
