"""Semaphores (cl_khr_semaphore): a wait for each signal, in either order, across queues; and what their routines refuse."""

import numpy as np
import pytest
from support.fails import fails
from support.fake_driver import FakeDevice

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_marker, enqueue_read_buffer
from cl2cuda.runtime.commands.semaphore import Semaphore, enqueue_signal_semaphores, enqueue_wait_semaphores
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

BINARY = ((codes.SEMAPHORE_TYPE_KHR, codes.SEMAPHORE_TYPE_BINARY_KHR),)
PAYLOAD = codes.SEMAPHORE_PAYLOAD_KHR


class On:
    def __init__(self, device):
        self.device = device
        self.context = Context([device])
        self.first, self.second = CommandQueue(self.context, device), CommandQueue(self.context, device)
        self.semaphore = Semaphore(self.context, BINARY)

    def payload(self):
        return self.semaphore.get_info(PAYLOAD)


@pytest.fixture
def on(device):
    return On(device)


def test_a_wait_takes_the_signal(on):
    assert on.payload() == 0
    signal = enqueue_signal_semaphores(on.first, [on.semaphore])
    assert signal.command_type == codes.COMMAND_SEMAPHORE_SIGNAL_KHR
    signal.wait()
    assert on.payload() == 1
    wait = enqueue_wait_semaphores(on.second, [on.semaphore])
    assert wait.command_type == codes.COMMAND_SEMAPHORE_WAIT_KHR
    wait.wait()
    assert on.payload() == 0


def test_work_in_one_queue_comes_after_work_in_the_other(on):
    buffer = Buffer(on.context, codes.MEM_COPY_HOST_PTR, host=bytes(64))
    for round in range(1, 4):
        enqueue_fill_buffer(on.first, buffer, bytes([round]), 0, 64)
        enqueue_signal_semaphores(on.first, [on.semaphore])
        enqueue_wait_semaphores(on.second, [on.semaphore])
        back = np.zeros(64, np.uint8)
        enqueue_read_buffer(on.second, buffer, True, 0, back)
        assert (back == round).all()


def test_a_signal_waits_for_events(on):
    gate = UserEvent(on.context)
    signal = enqueue_signal_semaphores(on.first, [on.semaphore], None, (gate,))
    wait = enqueue_wait_semaphores(on.second, [on.semaphore])
    assert wait.status == signal.status == codes.QUEUED and on.payload() == 0
    gate.set_status(0)
    wait.wait()
    assert on.payload() == 0


def test_a_wait_may_come_before_its_signal(on):
    wait = enqueue_wait_semaphores(on.second, [on.semaphore])
    again = enqueue_wait_semaphores(on.second, [on.semaphore])
    assert wait.status == codes.QUEUED
    enqueue_signal_semaphores(on.first, [on.semaphore])
    wait.wait()
    assert again.status == codes.QUEUED and on.payload() == 0
    enqueue_signal_semaphores(on.first, [on.semaphore]).wait()
    again.wait()


def test_a_signal_that_fails_fails_its_wait(on):
    gate = UserEvent(on.context)
    enqueue_signal_semaphores(on.first, [on.semaphore], None, (gate,))
    wait = enqueue_wait_semaphores(on.second, [on.semaphore])
    gate.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", wait.wait)


def test_several_semaphores_at_once(on):
    both = [on.semaphore, Semaphore(on.context, BINARY)]
    enqueue_signal_semaphores(on.first, both, [7, 7])
    enqueue_wait_semaphores(on.second, both, None, (enqueue_marker(on.first),)).wait()
    assert [one.get_info(PAYLOAD) for one in both] == [0, 0]


def test_queries(on):
    ask = on.semaphore.get_info
    assert ask(codes.SEMAPHORE_CONTEXT_KHR) is on.context and ask(codes.SEMAPHORE_REFERENCE_COUNT_KHR) == 1
    assert ask(codes.SEMAPHORE_PROPERTIES_KHR) == BINARY and ask(codes.SEMAPHORE_TYPE_KHR) == codes.SEMAPHORE_TYPE_BINARY_KHR
    assert ask(codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR) == (on.device,)
    assert ask(codes.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR) == () and ask(codes.SEMAPHORE_EXPORTABLE_KHR) is False
    fails("INVALID_VALUE", ask, 0x7777)
    assert on.device.get_info(0x204C) == (codes.SEMAPHORE_TYPE_BINARY_KHR,)


def test_what_cannot_be_created(on, fake):
    kind = BINARY[0]
    for properties in ((), None, ((codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR, (on.device,)),)):
        fails("INVALID_VALUE", Semaphore, on.context, properties)
    for properties in ((kind, (0x1234, 0)), (kind, kind), ((codes.SEMAPHORE_TYPE_KHR, 2),)):
        fails("INVALID_PROPERTY", Semaphore, on.context, properties)
    for devices in ((), (fake.device,), (on.device, on.device)):
        fails("INVALID_DEVICE", Semaphore, on.context, (kind, (codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR, devices)))
    fails("INVALID_PROPERTY", Semaphore, on.context, (kind, (codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR, -1)))


@pytest.mark.parametrize("enqueue", [enqueue_wait_semaphores, enqueue_signal_semaphores])
def test_what_cannot_be_enqueued(on, enqueue):
    fails("INVALID_COMMAND_QUEUE", enqueue, None, [on.semaphore])
    fails("INVALID_VALUE", enqueue, on.first, [])
    fails("INVALID_SEMAPHORE_KHR", enqueue, on.first, ["semaphore"])
    fails("INVALID_CONTEXT", enqueue, on.first, [Semaphore(Context([on.device]), BINARY)])
    fails("INVALID_EVENT_WAIT_LIST", enqueue, on.first, [on.semaphore], None, ("event",))
    fails("INVALID_CONTEXT", enqueue, on.first, [on.semaphore], None, (UserEvent(Context([on.device])),))
    failed = UserEvent(on.context)
    failed.set_status(-5)
    fails("EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", enqueue, on.first, [on.semaphore], None, (failed,))
    on.semaphore.release()
    fails("INVALID_SEMAPHORE_KHR", enqueue, on.first, [on.semaphore])
    fails("INVALID_SEMAPHORE_KHR", on.semaphore.get_info, PAYLOAD)


def test_a_semaphore_of_one_of_several_devices(fake):
    other = Device(fake.device.platform, "fake", FakeDevice())
    context = Context([fake.device, other])
    fails("INVALID_PROPERTY", Semaphore, context, BINARY)
    semaphore = Semaphore(context, (*BINARY, (codes.SEMAPHORE_DEVICE_HANDLE_LIST_KHR, (other,))))
    fails("INVALID_COMMAND_QUEUE", enqueue_signal_semaphores, CommandQueue(context, fake.device), [semaphore])
    enqueue_signal_semaphores(CommandQueue(context, other), [semaphore]).wait()
    assert semaphore.get_info(PAYLOAD) == 1


def test_nothing_is_exported(on, fake):
    opaque = codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR
    fails("INVALID_VALUE", on.semaphore.handle_for_type, on.device, opaque)
    fails("INVALID_DEVICE", on.semaphore.handle_for_type, fake.device, opaque)
    on.semaphore.release()
    fails("INVALID_SEMAPHORE_KHR", on.semaphore.handle_for_type, on.device, opaque)
    assert on.device.get_info(0x204E) == ()


def test_what_would_be_exported(on, fake):
    opaque = codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR
    export = (codes.SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, (opaque, opaque))
    importing = Device(fake.device.platform, "fake", FakeDevice(extra={"semaphore_handles": ("opaque_fd",)}))
    for device in (on.device, importing):
        context, imports = Context([device]), bool(device.properties.extra.get("semaphore_handles"))
        fails("INVALID_VALUE" if imports else "INVALID_PROPERTY", Semaphore, context, (*BINARY, export))
        fails("INVALID_OPERATION" if imports else "INVALID_PROPERTY", Semaphore, context, (*BINARY, (opaque, -1), export))
        Semaphore(context, (*BINARY, (export[0], ())))
