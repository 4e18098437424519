"""CUDA's faults on an imagined CUDA (fake_cuda.py): what the errors say, and a device whose every call fails from then on."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from support.fake_cuda import CudaError, FakeCuda

from cl2cuda.runtime.commands.buffer import (
    enqueue_fill_buffer,
    enqueue_marker,
    enqueue_read_buffer,
    enqueue_write_buffer,
)
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda import faults, nvrtc
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.faults import Suspects, explained
from cl2cuda.runtime.cuda.launching import Launching
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DeviceLost, DriverError, DriverMissing
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import debug_mode
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

try:
    nvrtc.nvrtc()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)


@pytest.mark.parametrize("number", faults.FAULTS)
def test_every_fault_says_what_it_is_and_what_to_do(number):
    error = explained(CudaError(number), Suspects())
    assert isinstance(error, DeviceLost) and error.status == "OUT_OF_RESOURCES"
    assert faults.FAULTS[number] in str(error) and str(error).endswith("start the process anew")


def test_other_errors_lose_nothing():
    assert explained(CudaError(2), Suspects()).status == "MEM_OBJECT_ALLOCATION_FAILURE"
    for number in (1, 2, 209, 701, 999):
        assert type(explained(CudaError(number), Suspects())) is DriverError


def suspects(*names):
    found = Suspects()
    for name in names:
        found.add(name)
    return found


def test_the_suspects_are_those_launched_before_the_fault(monkeypatch):
    assert "No kernel of cl2cuda was launched" in str(suspects())
    assert str(suspects("a")).startswith("Launched was kernel 'a'; with CL2CUDA_DEBUG=1")
    assert str(suspects("a", "b", "a")).startswith("Launched were kernels 'a', 'b'; with")
    assert "'a', 'b', 'c', 'd', 'e', 'f' and 2 more;" in str(suspects(*"abcdefgh"))
    noticed = suspects("a")
    before = str(noticed)
    noticed.add("b")
    assert str(noticed) == before
    monkeypatch.setattr(debug_mode, "_active", True)
    culprit = suspects("a", "b")
    culprit.only("b")
    assert str(culprit) == "It was kernel 'b'."


# A device that is lost.

# What CUDA still answers; all else fails.
ANSWERS = {"check_status", "driverGetVersion", "deviceGetAttribute", "getDeviceProperties", "ctxGetCurrent"}


def lose(cuda: FakeCuda) -> None:
    def fails(*arguments, **more):
        raise CudaError(700)

    for module in (cuda.runtime, cuda.driver):
        for name in dir(type(module)):
            if not name.startswith("_") and name not in ANSWERS and callable(getattr(module, name)) and not name.endswith("Error"):
                setattr(module, name, fails)
    cuda.runtime.eventQuery = cuda.runtime.streamQuery = lambda handle: 700
    cuda.launching = Launching(cuda.driver.launchKernel, None)
    cuda.memset = lambda *arguments: cuda.call(fails)


@pytest.fixture(params=[0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, codes.QUEUE_PROFILING_ENABLE])
def queue(request):
    device = Device(platforms.Platform(), "cuda", CudaDevice(FakeCuda(), 0))
    return create_command_queue(Context([device]), device, request.param)


def refused(call, *arguments):
    with pytest.raises(CLError, match="CUDA does nothing more for this process on the device: start the process anew") as caught:
        call(*arguments)
    return caught.value.status


def test_a_lost_device(queue, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    context, cuda = queue.context, queue.device.driver_device.cuda
    buffer, data = Buffer(context, codes.MEM_ALLOC_HOST_PTR, 1 << 22), np.zeros(1 << 22, np.uint8)
    ended = enqueue_fill_buffer(queue, buffer, b"a", 0, 64)
    ended.wait()
    mapped, _ = enqueue_map_buffer(queue, buffer, True, codes.MAP_READ, 0, 64)
    waiting = enqueue_write_buffer(queue, buffer, False, 0, data)
    lose(cuda)
    assert ended.status == codes.COMPLETE
    ended.wait()
    called = []
    waiting.set_callback(codes.COMPLETE, called.append)
    assert refused(waiting.wait) == "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert waiting.status == -5
    refused(queue.finish)
    refused(enqueue_read_buffer, queue, buffer, True, 0, data)
    refused(enqueue_write_buffer, queue, buffer, True, 0, data)
    refused(enqueue_fill_buffer, queue, buffer, b"a", 0, 64)
    refused(lambda: enqueue_marker(queue).wait())
    refused(lambda: Buffer(context, 0, 64).address)
    refused(CommandQueue, context, queue.device)
    refused(queue.device.timers)
    for each in (buffer, queue, context):
        each.release()
    del mapped, waiting, ended, each, buffer
    gc.collect()
    assert [str(one.exc_value) for one in said] == []


def test_a_launch_that_fails_at_once(queue):
    context = queue.context
    program = Program(context, "__kernel void add(__global int *x) { x[get_global_id(0)] += 1; }")
    program.build()
    kernel, buffer = Kernel(program, "add"), Buffer(context, 0, 256)
    kernel.set_arg(0, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), (64,))
    lose(queue.device.driver_device.cuda)
    for size in (64, 63):  # launched before, and new
        with pytest.raises(CLError, match="Launched was kernel 'add'"):
            enqueue_nd_range_kernel(queue, kernel, 1, None, (size,), None)


@pytest.fixture
def debugged(monkeypatch):
    """A queue in debug mode, and a launch of 16 work-groups there. Yields the imagined CUDA, the buffer, and the launch."""
    monkeypatch.setattr(debug_mode, "_active", True)
    device = Device(platforms.Platform(), "cuda", CudaDevice(FakeCuda(), 0))
    context = Context([device])
    queue = create_command_queue(context, device)
    program = Program(context, "__kernel void add(__global int *x) { x[get_global_id(0)] += 1; }")
    program.build()
    kernel, buffer = Kernel(program, "add"), Buffer(context, 0, 4096)
    kernel.set_arg(0, buffer)
    yield device.driver_device.cuda, buffer, lambda: enqueue_nd_range_kernel(queue, kernel, 1, None, (1024,), (64,))


def said(buffer, work_group):
    return [f"  at work-group {work_group}: work-items with global ids from {64 * work_group} to {64 * work_group + 63}",
            "  in kernel 'add', global size (1024,), local size (64,), with", f"  argument 0, int* x = {buffer.address:#x}, a buffer of 4096 bytes"]


def test_debug_mode_names_work_groups(debugged):
    cuda, buffer, launch = debugged
    genuine = cuda.driver.launchKernel

    def fails_at_the_third(*arguments):
        if len(cuda.driver.launches) == 2:
            raise CudaError(716)
        genuine(*arguments)

    cuda.driver.launchKernel = fails_at_the_third
    with pytest.raises(CLError) as caught:
        launch()
    assert "It was kernel 'add'." in caught.value.reason
    assert caught.value.reason.splitlines()[1:] == said(buffer, 2)


def test_debug_mode_waits_where_queries_err(debugged):
    """While a dump is written, CUDA's queries can say that the stream has come to its end."""
    cuda, buffer, launch = debugged

    def fails_at_the_third(stream):
        if len(cuda.driver.launches) == 3:
            raise CudaError(700)

    cuda.runtime.streamSynchronize = fails_at_the_third
    with pytest.raises(CLError) as caught:
        launch()
    assert caught.value.reason.splitlines()[1:] == said(buffer, 2)
