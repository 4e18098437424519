"""Callbacks of objects that go: in reverse order, after the commands that use them, after what was made of them."""

import gc
import threading

import pytest
from support.fails import fails
from support.several_devices import devices_of

from cl2cuda.runtime.command_buffer import recording
from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.image.descriptor import ImageDescriptor
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes


class Calls(list):
    def note(self, name):
        return lambda: self.append(name)


@pytest.fixture
def calls():
    return Calls()


def test_callbacks_of_a_buffer(device, calls):
    context = Context([device])
    buffer = Buffer(context, 0, 64)
    for name in "abc":
        buffer.set_destructor_callback(calls.note(name))
    assert not calls
    buffer.release()
    assert calls == ["c", "b", "a"]
    buffer.release()
    assert len(calls) == 3
    fails("INVALID_MEM_OBJECT", buffer.set_destructor_callback, print)


def test_a_buffer_that_nobody_released(device, calls):
    context = Context([device])
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abc")
    buffer.set_destructor_callback(calls.note("a"))
    del buffer
    gc.collect()
    context.reclaim()
    assert calls == ["a"]


@pytest.mark.parametrize("context_goes", [False, True])
def test_nobody_has_to_ask_for_what_is_only_dropped(device, context_goes):
    """As the last command drops a buffer that it alone has kept."""
    context, gone = Context([device]), threading.Event()
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abc")
    buffer.set_destructor_callback(gone.set)
    if context_goes:
        context.release()
        del context
    del buffer
    gc.collect()
    assert gone.wait(30)


def test_a_buffer_outlives_its_sub_buffers(device, calls):
    context = Context([device])
    buffer = Buffer(context, 0, 4096)
    part = buffer.sub_buffer(0, 1024, 1024)
    buffer.set_destructor_callback(calls.note("whole"))
    part.set_destructor_callback(calls.note("part"))
    buffer.release()
    assert not calls
    part.release()
    assert sorted(calls) == ["part", "whole"]


def test_a_buffer_outlives_the_images_made_of_it(device, calls):
    if device.properties.images.plane[0] < 8:
        pytest.skip("the imagined device has images of one element")
    context = Context([device])
    buffer = Buffer(context, 0, 64 * 1024)
    rgba = (0x10B5, 0x10DA)
    image = Image(context, 0, rgba, ImageDescriptor(codes.MEM_OBJECT_IMAGE1D_BUFFER, 64, mem_object=buffer))
    own = Image(context, 0, rgba, ImageDescriptor(codes.MEM_OBJECT_IMAGE2D, 8, 8))
    for name, one in (("buffer", buffer), ("image", image), ("own", own)):
        one.set_destructor_callback(calls.note(name))
    buffer.release()
    own.release()
    assert calls == ["own"]
    image.release()
    assert sorted(calls) == ["buffer", "image", "own"]


def test_commands_end_first(fake, calls):
    buffer = Buffer(fake.context, 0, 64)
    buffer.set_destructor_callback(calls.note("gone"))
    enqueue_fill_buffer(fake.queue, buffer, b"a", 0, 64)
    buffer.release()
    assert not calls
    fake.queue.finish()
    assert calls == ["gone"]


def test_nobody_has_to_ask(device):
    """Where the last command ends after all is released, and the application waits for the callback alone."""
    context, gone = Context([device]), threading.Event()
    buffer, gate = Buffer(context, 0, 64), UserEvent(context)
    buffer.set_destructor_callback(gone.set)
    queue = CommandQueue(context, device)
    enqueue_fill_buffer(queue, buffer, b"a", 0, 64, [gate])
    for one in (buffer, queue, context):
        one.release()
    del buffer, queue, context, one
    assert not gone.wait(0.1)
    gate.set_status(codes.COMPLETE)
    del gate
    assert gone.wait(30)


class Fence:
    """Of a queue that went while its commands ran."""

    reached = False

    def done(self):
        return self.reached


def test_nobody_has_to_ask_a_context_that_has_taken_over_from_one_that_is_gone(device):
    """It frees what the other one has left when it is asked for something, and is asked for nothing afterwards."""
    context, other, fence, gone = Context([device]), Context([device]), Fence(), threading.Event()
    buffer = Buffer(context, codes.MEM_COPY_HOST_PTR, host=b"abc")
    buffer.set_destructor_callback(gone.set)
    context._reclaimer.leave_fence(fence)
    buffer.release()
    context.release()
    del buffer, context
    gc.collect()
    Buffer(other, codes.MEM_COPY_HOST_PTR, host=b"abc").release()
    other.reclaim()
    assert not gone.wait(0.1)
    fence.reached = True
    assert gone.wait(30)


@pytest.mark.parametrize("kind", ["host", "imagined cuda"])
def test_commands_of_all_devices_end_first(kind):
    devices, gone = devices_of(kind), threading.Event()
    context = Context(devices)
    buffer, gate = Buffer(context, 0, 64), UserEvent(context)
    buffer.set_destructor_callback(gone.set)
    enqueue_fill_buffer(CommandQueue(context, devices[1]), buffer, b"a", 0, 64, [gate])
    buffer.release()
    context.reclaim()
    assert not gone.is_set()
    gate.set_status(codes.COMPLETE)
    assert gone.wait(30)


def test_a_recorded_buffer_goes_with_the_command_buffer(device, calls):
    context = Context([device])
    record = CommandBuffer([CommandQueue(context, device)])
    buffer = Buffer(context, 0, 64)
    buffer.set_destructor_callback(calls.note("gone"))
    recording.fill_buffer(record, buffer, b"a", 0, 64)
    record.finalize()
    buffer.release()
    record.enqueue().wait()
    assert not calls
    record.release()
    del record
    gc.collect()
    context.reclaim()
    assert calls == ["gone"]


def test_an_error_in_a_callback_goes_to_nobody(device, calls):
    buffer = Buffer(Context([device]), 0, 64)
    buffer.set_destructor_callback(calls.note("last"))
    buffer.set_destructor_callback(lambda: 1 / 0)
    buffer.release()
    assert calls == ["last"]


def test_callbacks_of_a_context(device, calls):
    context = Context([device])
    queue = CommandQueue(context, device)
    for name in "ab":
        context.set_destructor_callback(calls.note(name))
    context.release()
    del context
    gc.collect()
    assert not calls
    queue.release()
    del queue
    gc.collect()
    assert calls == ["b", "a"]


def test_what_is_no_callback(device):
    context = Context([device])
    fails("INVALID_VALUE", context.set_destructor_callback, None)
    fails("INVALID_VALUE", Buffer(context, 0, 64).set_destructor_callback, None)
