"""Children of kernels on CUDA, without a GPU: what is launched in which stream, and with what, after a kernel has left its records."""

from __future__ import annotations

import ctypes
import struct

import pytest
from support.fake_cuda import FakeCuda

from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.nvrtc import nvrtc
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.device_memory import Environment, EventSlot
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import parse_options, translate

pytestmark = pytest.mark.usefixtures("compiler")

DEFAULT = codes.QUEUE_ON_DEVICE | codes.QUEUE_ON_DEVICE_DEFAULT | codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
SOURCE = """
kernel void parent(global int *r, int n) {
    void (^leaf)(void) = ^{ r[0] = n; };
    void (^branch)(local int *) = ^(local int *x) { x[0] = n; enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), leaf); };
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), branch, 16);
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), leaf);
}""".replace("leaf); };", "^{ r[1] = n; }); };")
OPTIONS = "-cl-std=CL3.0"


class Imagined:
    """The program on an imagined GPU, whose kernels are functions in Python: they get the record of their launch."""

    def __init__(self):
        if nvrtc() is None:
            pytest.skip("NVRTC cannot be loaded")
        self.cuda = FakeCuda()
        self.device = Device(platforms.platforms()[0], "cuda", CudaDevice(self.cuda, 0))
        self.context = Context([self.device])
        self.queue = CommandQueue(self.context, self.device)
        self.default = create_command_queue(self.context, self.device, [(codes.QUEUE_PROPERTIES, DEFAULT)])
        self.program = Program(self.context, SOURCE)
        self.program.build(OPTIONS)
        self.blocks = self.program.binary_for("", self.device).blocks
        self.launched = []
        self.kernels = {}
        self.cuda.driver.launchKernel = self.launch

    def launch(self, function, *arguments):
        symbol = self.cuda.driver.symbols[function]
        name = next(name for name in ("parent_block2_kernel", "parent_block3_kernel", "parent_block_kernel", "parent") if name in symbol)
        self.launched.append((name, arguments))
        parameters = ctypes.cast(arguments[8], ctypes.POINTER(ctypes.c_uint64))
        if name in self.kernels:
            self.kernels[name](parameters)

    def number(self, name):
        return next(info.block for info in self.blocks if info.name == name)

    def told(self, parameters, index):
        """The environment, and the parent's event, that a kernel is told."""
        return (ctypes.c_uint64 * 2).from_address(parameters[index])

    def enqueue(self, told, block, captured=b"\0" * 16, *, waits=(), event=0, local=(), size=1):
        """What the device's library does."""
        slot = Environment.from_address(told[0]).queues[0]
        at = (104 + 8 * len(waits) + 4 * len(local) + 15) // 16 * 16
        body = struct.pack("<4I2Q2I6Q4I", at + len(captured), len(waits), at, 0, event, told[1], block & 0xFFFFFFFF, 1, 0, 0, 0, size, 1, 1,
                           0, 0, 0, 128 * len(local))
        body += struct.pack(f"<{len(waits)}Q{len(local)}I", *waits, *local)
        body = body.ljust(at, b"\0") + captured
        assert slot.end + len(body) <= slot.capacity
        ctypes.memmove(slot.memory + slot.end, body, len(body))
        slot.end += len(body)

    def new_event(self, told, references=2, status=codes.QUEUED):
        environment = Environment.from_address(told[0])
        number = environment.fresh_events
        environment.fresh_events += 1
        slot = EventSlot.from_address(environment.events + ctypes.sizeof(EventSlot) * number)
        slot.references, slot.status = references, status
        return number + 1, slot

    def run(self):
        kernel = Kernel(self.program, "parent")
        kernel.set_arg(0, None)
        kernel.set_arg(1, b"\5\0\0\0")
        event = enqueue_nd_range_kernel(self.queue, kernel, 1, None, (1,), None)
        event.wait()
        return event


def test_the_records_are_those_of_the_library():
    """The structs on both sides have the same sizes, and the library's fields stand where Python has them."""
    assert ctypes.sizeof(EventSlot) == 40 and ctypes.sizeof(Environment) == 88 + 32 * 32
    sizes = "sizeof(queue_record) == 104 && sizeof(event_slot) == 40 && sizeof(queue_environment) == 1112 && sizeof(enqueuing) == 16"
    translation = translate(SOURCE, parse_options(OPTIONS))
    source = translation.source("cuda") + f"\nnamespace ocl {{ static_assert({sizes} && sizeof(ndrange_t) == 80); }}\n"
    if nvrtc() is None:
        pytest.skip("NVRTC cannot be loaded")
    from cl2cuda.runtime.cuda.nvrtc import build

    assert build(source, "sm_90", ("--std=c++20",), ["&ocl::user::parent"]).code


def test_children_run_side_by_side_and_their_children_after_them():
    on = Imagined()
    leaf, inner, branch = (on.number(f"parent_{name}_kernel") for name in ("block", "block3", "block2"))
    parents = []

    def parent(parameters):
        told = on.told(parameters, 2)
        parents.append(told[1])
        for number in range(5):
            on.enqueue(told, leaf, struct.pack("<Qi4x", 0, number))
        event, _ = on.new_event(told)
        on.enqueue(told, branch, struct.pack("<Qi4x", 0, 9), event=event, local=(0,), size=64)

    def of_branch(parameters):
        assert ctypes.c_int32.from_address(parameters[0] + 8).value == 9  # what the block has captured
        assert ctypes.c_uint32.from_address(parameters[1]).value == 0  # where its local memory begins
        told = on.told(parameters, 2)
        parents.append(told[1])
        on.enqueue(told, inner)

    on.kernels = {"parent": parent, "parent_block2_kernel": of_branch}
    on.run()
    names = [name for name, _ in on.launched]
    assert names == ["parent", *["parent_block_kernel"] * 5, "parent_block2_kernel", "parent_block3_kernel"]
    streams = [arguments[7] for _, arguments in on.launched]
    assert len(set(streams[1:7])) == 6 and streams[0] in streams[1:7] and streams[7] == streams[0]
    assert on.launched[6][1][6] == 128 and on.launched[6][1][:6] == (1, 1, 1, 64, 1, 1)
    assert parents == [0, 1]  # the branch stands under its own event


def test_an_event_is_complete_with_the_children_of_its_command():
    on = Imagined()
    leaf, inner, branch = (on.number(f"parent_{name}_kernel") for name in ("block", "block3", "block2"))
    slots = []

    def parent(parameters):
        told = on.told(parameters, 2)
        gate, gate_slot = on.new_event(told, 2, codes.SUBMITTED)
        event, slot = on.new_event(told)
        slot.references = 3  # the program's, the command's, and that of what waits
        slots.extend((gate_slot, slot))
        on.enqueue(told, branch, waits=(gate,), event=event, local=(0,))
        on.enqueue(told, leaf, waits=(event,))
        gate_slot.status = codes.COMPLETE

    on.kernels = {"parent": parent, "parent_block2_kernel": lambda parameters: on.enqueue(on.told(parameters, 2), inner)}
    on.run()
    assert [name for name, _ in on.launched] == ["parent", *(f"parent_{each}_kernel" for each in ("block2", "block3", "block"))]
    memory = on.default._memory
    assert [memory.event(number).references for number in (1, 2)] == [1, 1]
    assert memory.event(2).status == codes.COMPLETE


def test_the_parents_command_is_complete_when_nothing_is_left():
    on = Imagined()
    depth = []

    def parent(parameters):
        on.enqueue(on.told(parameters, 2), on.number("parent_block2_kernel"), local=(0,))

    def again(parameters):
        depth.append(1)
        if len(depth) < 100:
            on.enqueue(on.told(parameters, 2), on.number("parent_block2_kernel"), local=(0,))

    on.kernels = {"parent": parent, "parent_block2_kernel": again}
    assert on.run().status == codes.COMPLETE
    assert len(depth) == 100
    on.queue.finish()
