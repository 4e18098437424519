"""What every enqueued command refuses alike (chapter 5): strangers in its arguments, failed or foreign events, bad regions.

A new command is one row of `COMMANDS` (support/commands.py); the table of entry points lists the errors that it owes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.commands import COMMANDS, EMPTY, SIZE, WITH_MEMORY, Place
from support.fake_driver import FakeDevice

from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import Event, UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError


@pytest.fixture
def place(device: Device) -> Place:
    context = Context([device])
    return Place(CommandQueue(context, device), Buffer(context, 0, SIZE))


def fails(routine: str, status: str, call: Callable[..., Any], *arguments: Any) -> None:
    with pytest.raises(CLError) as caught:
        call(*arguments)
    assert (caught.value.routine, caught.value.status) == (routine, status)
    assert caught.value.reason


def _first(name: str) -> str:
    """The first routine that a row's call meets: unmapping has to map before."""
    return "clEnqueueMapBuffer" if name == "clEnqueueUnmapMemObject" else name


def failed_event(context: Context) -> Event:
    event = UserEvent(context)
    event.set_status(-1)
    return event


@pytest.mark.parametrize("name", COMMANDS)
def test_the_right_call_gives_an_event(name, place):
    result = COMMANDS[name].call(place.queue, place.buffer, ())
    event = result[1] if isinstance(result, tuple) else result
    event.wait()
    assert event.get_info(codes.EVENT_COMMAND_EXECUTION_STATUS) == codes.COMPLETE
    assert event.get_info(codes.EVENT_COMMAND_QUEUE) is place.queue
    assert event.get_info(codes.EVENT_CONTEXT) is place.queue.context


@pytest.mark.parametrize("properties", [0, codes.QUEUE_PROFILING_ENABLE, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE])
@pytest.mark.parametrize("name", EMPTY)
def test_a_command_of_no_bytes_ends_after_what_it_waits_for(name, properties, place):
    queue = create_command_queue(place.queue.context, place.queue.device, properties)
    first = UserEvent(queue.context)
    event = COMMANDS[name].empty(queue, place.buffer, [first])
    assert event.status > codes.COMPLETE and event.command_type == COMMANDS[name].call(queue, place.buffer, [first]).command_type
    first.set_status(codes.COMPLETE)
    event.wait()
    assert event.status == codes.COMPLETE
    if properties == codes.QUEUE_PROFILING_ENABLE:
        assert event.profile(codes.PROFILING_COMMAND_START) <= event.profile(codes.PROFILING_COMMAND_END)
    queue.finish()
    COMMANDS[name].empty(queue, place.buffer, ()).wait()


@pytest.mark.parametrize("name", EMPTY)
def test_memory_is_checked_of_a_command_of_no_bytes_too(name, place):
    stranger = Buffer(Context(place.queue.context.devices), 0, SIZE)
    fails(name, "INVALID_CONTEXT", COMMANDS[name].empty, place.queue, stranger, ())
    place.buffer.release()
    fails(name, "INVALID_MEM_OBJECT", COMMANDS[name].empty, place.queue, place.buffer, ())


@pytest.mark.parametrize("name", COMMANDS)
def test_wait_list_of_what_is_no_event(name, place):
    fails(name, "INVALID_EVENT_WAIT_LIST", COMMANDS[name].call, place.queue, place.buffer, [None])


@pytest.mark.parametrize("name", COMMANDS)
def test_wait_list_with_an_event_of_another_context(name, place):
    stranger = UserEvent(Context(place.queue.context.devices))
    fails(name, "INVALID_CONTEXT", COMMANDS[name].call, place.queue, place.buffer, [stranger])
    stranger.set_status(0)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_released_or_missing_queue(name, place):
    released = CommandQueue(place.queue.context, place.queue.device)
    released.release()
    for queue in (None, released):
        fails(_first(name), "INVALID_COMMAND_QUEUE", COMMANDS[name].call, queue, place.buffer, ())


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_memory_of_another_context(name, place):
    stranger = Buffer(Context(place.queue.context.devices), 0, SIZE)
    fails(_first(name), "INVALID_CONTEXT", COMMANDS[name].call, place.queue, stranger, ())


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_released_memory(name, place):
    place.buffer.release()
    fails(_first(name), "INVALID_MEM_OBJECT", COMMANDS[name].call, place.queue, place.buffer, ())


@pytest.mark.parametrize(("name", "number"), [(name, n) for name, command in COMMANDS.items() for n in range(len(command.wrong))])
def test_wrong_regions_patterns_and_flags(name, number, place):
    status, call = COMMANDS[name].wrong[number]
    fails(name, status, call, place.queue, place.buffer)


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.blocking])
def test_a_blocking_command_says_that_what_it_waited_for_failed(name, place):
    blocking = COMMANDS[name].blocking
    assert blocking
    fails(name, "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", blocking, place.queue, place.buffer,
          [failed_event(place.queue.context)])


@pytest.mark.parametrize("name", COMMANDS)
def test_what_waits_for_a_failed_event_is_terminated(name, place):
    result = COMMANDS[name].call(place.queue, place.buffer, [failed_event(place.queue.context)])
    event = result[1] if isinstance(result, tuple) else result
    fails("clWaitForEvents", "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", event.wait)
    assert event.status < 0


def two_devices(**changes: Any) -> tuple[Context, Device, Device]:
    platform = platforms.Platform()
    first, second = Device(platform, "fake", FakeDevice()), Device(platform, "fake", FakeDevice(**changes))
    return Context([first, second]), first, second


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_a_sub_buffer_that_one_device_aligns_and_another_does_not(name):
    context, _, second = two_devices(base_address_align=512)
    part = Buffer(context, 0, 2 * SIZE).sub_buffer(0, 256, SIZE)
    fails(_first(name), "MISALIGNED_SUB_BUFFER_OFFSET", COMMANDS[name].call, CommandQueue(context, second), part, ())


@pytest.mark.parametrize("name", [n for n in WITH_MEMORY if n != "clEnqueueUnmapMemObject"])
def test_memory_that_another_device_has_no_room_for(name):
    context, _, second = two_devices(global_memory=SIZE - 1)
    buffer = Buffer(context, 0, SIZE)
    fails(name, "MEM_OBJECT_ALLOCATION_FAILURE", COMMANDS[name].call, CommandQueue(context, second), buffer, ())
