"""After a fault a CUDA device is lost for the process: every call of its driver fails. What the runtime makes of that, on a driver
in memory (lost_device.py); tests/runtime/test_faults.py has real faults."""

from __future__ import annotations

import gc
import queue
import sys
from types import SimpleNamespace

import pytest
from support.commands import COMMANDS, WITH_MEMORY
from support.kernel_facts import arg, kernel_info
from support.lost_device import REASON, LostDevice

from cl2cuda.runtime.commands.buffer import (
    enqueue_fill_buffer,
    enqueue_marker,
    enqueue_read_buffer,
    enqueue_write_buffer,
)
from cl2cuda.runtime.commands.map import enqueue_map_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory import svm
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.pipe import Pipe
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent, wait_for_events
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

WAIT_FAILED = "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
KINDS = {"in order": 0, "out of order": codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, "profiling": codes.QUEUE_PROFILING_ENABLE}


class Lost(SimpleNamespace):
    """driver, device, context, queue, buffer; `kernel`, whose launch loses the device when it runs."""

    driver: LostDevice
    device: Device
    context: Context
    queue: CommandQueue
    buffer: Buffer
    kernel: Kernel

    def launch(self):
        return enqueue_nd_range_kernel(self.queue, self.kernel, 1, None, (64,), (64,))

    def break_it(self):
        """A fault that nobody has noticed yet, but which has happened."""
        self.driver.lost = True


@pytest.fixture(params=KINDS)
def place(request, fake):
    driver = LostDevice()
    device = Device(platforms.platforms()[0], "fake", driver)
    context = Context([device])

    def body(parameters, sizes):
        def fault():
            driver.lost = True
            driver.check_alive()

        return fault

    driver.bodies["faulty"] = body
    fake.kernels[:] = [kernel_info("faulty", arg("x", "global"))]
    program = Program(context, "source")
    program.build()
    buffer, kernel = Buffer(context, 0, 4096), Kernel(program, "faulty")
    kernel.set_arg(0, buffer)
    return Lost(driver=driver, device=device, context=context, queue=create_command_queue(context, device, KINDS[request.param]), buffer=buffer,
                kernel=kernel)


def failure(call, *arguments):
    with pytest.raises(CLError) as caught:
        call(*arguments)
    assert REASON in caught.value.reason
    return caught.value.status


def test_the_wait_says_it_and_says_it_again(place):
    event = place.launch()
    assert event.status > codes.COMPLETE
    for _ in range(2):
        assert failure(event.wait) == WAIT_FAILED
    assert failure(wait_for_events, [event]) == WAIT_FAILED
    assert event.get_info(codes.EVENT_COMMAND_EXECUTION_STATUS) == -5


@pytest.mark.parametrize("call", ["finish", "read", "map", "event"])
def test_whatever_waits_says_it(place, call):
    events = [place.launch()]
    waiting = {"finish": place.queue.finish,
               "read": lambda: enqueue_read_buffer(place.queue, place.buffer, True, 0, bytearray(64), events),
               "map": lambda: enqueue_map_buffer(place.queue, place.buffer, True, codes.MAP_READ, 0, 64, events),
               "event": enqueue_write_buffer(place.queue, place.buffer, False, 0, bytes(64), events).wait}
    assert failure(waiting[call]) in (WAIT_FAILED, "OUT_OF_RESOURCES")


def test_callbacks_are_called_with_the_error(place):
    event, seen = place.launch(), queue.Queue()
    for status in (codes.SUBMITTED, codes.RUNNING, codes.COMPLETE):
        event.set_callback(status, seen.put)
    assert {codes.SUBMITTED, -5} <= {seen.get(timeout=10) for _ in range(3)}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_later_command_is_refused(name, place):
    mapped = enqueue_map_buffer(place.queue, place.buffer, True, codes.MAP_READ, 0, 16)
    del mapped
    place.break_it()
    try:
        result = COMMANDS[name].call(place.queue, place.buffer, ())
    except CLError as error:
        assert error.status in ("OUT_OF_RESOURCES", "MAP_FAILURE", "MEM_OBJECT_ALLOCATION_FAILURE")
    else:  # What has nothing to do is not refused, but does not complete either.
        event = result[1] if isinstance(result, tuple) else result
        assert failure(event.wait) == WAIT_FAILED


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_what_was_held_back_is_terminated_and_lets_go(name, place):
    said = []
    place.context.callback = said.append
    gate = UserEvent(place.context)
    if name == "clEnqueueUnmapMemObject":
        pytest.skip("its row maps before, which would wait")
    result = COMMANDS[name].call(place.queue, place.buffer, [gate])
    event = result[1] if isinstance(result, tuple) else result
    after = enqueue_marker(place.queue, [event])
    place.break_it()
    gate.set_status(codes.COMPLETE)
    for each in (event, after):
        with pytest.raises(CLError):
            each.wait()
        assert each.status < 0
    if name != "clEnqueueMigrateMemObjects":  # which had nothing to do
        assert REASON in said[0]


def test_launches_are_refused(place):
    place.break_it()
    for _ in range(2):
        try:
            assert failure(place.launch().wait) == WAIT_FAILED
        except CLError as error:
            assert (error.routine, error.status) == ("clEnqueueNDRangeKernel", "OUT_OF_RESOURCES")
    fresh = CommandQueue.__new__(CommandQueue, place.context, place.device)
    assert failure(fresh.__init__, place.context, place.device) == "OUT_OF_RESOURCES"


IMAGE = ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 16, 16)
MAKERS = {
    "clCreateBuffer": lambda context: Buffer(context, 0, 64),
    "clCreateBuffer with contents": lambda context: Buffer(context, codes.MEM_COPY_HOST_PTR, host=bytes(64)),
    "clCreateImage": lambda context: Image(context, 0, (0x10B5, 0x10DA), IMAGE),
    "clCreatePipe": lambda context: Pipe(context, 0, 16, 16),
    "clSVMAlloc": lambda context: svm.svm_alloc(context, 0, 64),
    "clCreateCommandQueueWithProperties": lambda context: create_command_queue(context, context.devices[0]),
    "clGetDeviceAndHostTimer": lambda context: context.devices[0].timers(),
}


@pytest.mark.parametrize("routine", MAKERS)
def test_nothing_new_can_be_made(routine, place, memory_at_once):
    place.launch()
    place.break_it()
    for context in (place.context, Context([place.device])):
        with pytest.raises(CLError) as caught:
            MAKERS[routine](context)
        assert caught.value.routine == routine.split()[0] and REASON in caught.value.reason


def test_times_of_what_ended_before_are_an_error_and_no_more(place):
    event = enqueue_fill_buffer(place.queue, place.buffer, b"a", 0, 64)
    event.wait()
    place.break_it()
    with pytest.raises(CLError) as caught:
        event.profile(codes.PROFILING_COMMAND_END)
    assert caught.value.status in ("PROFILING_INFO_NOT_AVAILABLE", "OUT_OF_RESOURCES")
    assert event.status == codes.COMPLETE  # it was known before


def test_releases_work_and_say_nothing(place, monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    gone = []
    place.buffer.set_destructor_callback(lambda: gone.append("buffer"))
    image, pipe, address = MAKERS["clCreateImage"](place.context), Pipe(place.context, 0, 16, 16), svm.svm_alloc(place.context, 0, 64)
    kept = enqueue_write_buffer(place.queue, place.buffer, False, 0, bytes(64))
    mapped = enqueue_map_buffer(place.queue, place.buffer, False, codes.MAP_READ, 0, 16)
    dropped = create_command_queue(place.context, place.device, place.queue.properties)
    enqueue_write_buffer(dropped, place.buffer, False, 0, bytes(64))
    place.launch()
    place.break_it()
    del dropped, kept, mapped
    for each in (place.buffer, image, pipe, place.kernel, place.kernel.program, place.queue):
        each.release()
        each.release()
    svm.svm_free(place.context, address)
    place.context.release()
    place.kernel = place.buffer = place.queue = None
    gc.collect()
    assert gone == ["buffer"]
    assert [str(one.exc_value) for one in said] == []


def test_another_device_of_the_process_goes_on(place, fake):
    place.launch()
    place.break_it()
    buffer, found = Buffer(fake.context, 0, 64), bytearray(64)
    enqueue_fill_buffer(fake.queue, buffer, b"a", 0, 64).wait()
    enqueue_read_buffer(fake.queue, buffer, True, 0, found)
    assert found == b"a" * 64
