"""Attributes in slots, which code in C reads and writes where they lie (runtime/native/slots.c): the objects are as they would be without."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.processes import environment

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import event as faces
from cl2cuda.runtime.context.shared_memory import SharedMemory
from cl2cuda.runtime.context.stream_ordered_memory import Block, StreamOrderedMemory
from cl2cuda.runtime.image.image import Image
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.memory.late import LateStorage
from cl2cuda.runtime.memory.storage import BufferStorage
from cl2cuda.runtime.memory.svm import Pointer
from cl2cuda.runtime.native import library
from cl2cuda.runtime.native.build import build_for_source_tree
from cl2cuda.runtime.queue.event import CountedEvent, Event, UserEvent
from cl2cuda.runtime.queue.out_of_order import OutOfOrderQueue
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.queue.stream_timeline import QueueStream

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")


def told_of(kind, monkeypatch):
    """What the calls are told of a class: where its slots are."""
    found = {}
    monkeypatch.setattr(library, "calls", lambda: SimpleNamespace(slots=lambda _, offsets: found.update(offsets)))
    assert library.know_slots(kind) is kind
    return found


@pytest.mark.parametrize("kind", [Event, CountedEvent, Buffer, CommandQueue, OutOfOrderQueue, QueueStream, Image, SharedMemory, Pointer,
                                  BufferStorage, LateStorage, Block, StreamOrderedMemory,
                                  faces.Event, faces.NannyEvent, cl.Kernel, cl.Context, cl.ImageFormat, cl.ImageDescriptor],
                         ids=lambda kind: kind.__name__)
def test_each_slot_has_a_place_of_its_own(kind, monkeypatch):
    names = {name for base in kind.__mro__ for name in base.__dict__.get("__slots__", ()) if not name.startswith("__")}
    found = told_of(kind, monkeypatch)
    assert set(found) == names and len(set(found.values())) == len(names)
    assert all(0 < offset < kind.__basicsize__ and not offset % 8 for offset in found.values())


def test_what_a_class_says_of_all_its_objects_is_in_no_slot(monkeypatch):
    found = told_of(UserEvent, monkeypatch)
    assert set(found) == {"_context", "_hooks", "_key", "status"} and UserEvent.queue is None


def test_classes_without_slots_and_properties_instead_of_slots(monkeypatch):
    class Base:
        __slots__ = ("hidden", "there")

    class Derived(Base):
        hidden = property(lambda self: 7)

    assert set(told_of(Derived, monkeypatch)) == {"there"} and told_of(type("Empty", (), {}), monkeypatch) == {}


@pytest.mark.parametrize("make", [
    lambda x: cl.Buffer(x.context, cl.mem_flags.READ_WRITE, 64).release(),
    lambda x: x.buffer.get_sub_region(0, 64).release(),
    lambda x: cl.UserEvent(x.context).set_status(0),
    lambda x: cl.enqueue_marker(x.queue).wait(),
    lambda x: x.kernel(x.queue, (1,), (1,), x.buffer),
    lambda x: x.kernel.set_arg(0, x.buffer),
    lambda x: cl.CommandQueue(x.context),
], ids=["buffer", "sub-buffer", "user event", "marker", "launch", "argument", "queue"])
def test_no_reference_is_lost_or_kept(make):
    class Bench:
        context = cl.create_some_context(interactive=False)
        queue = cl.CommandQueue(context)
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
        kernel = cl.Kernel(cl.Program(context, "kernel void one(global int *a) { *a = 1; }").build(), "one")

    kept = [Bench.context, Bench.context._core, Bench.queue._core, Bench.queue._core.timeline, Bench.buffer._core, Event, True, None]

    def turn():
        for _ in range(64):
            make(Bench)
        Bench.queue.finish()

    leaves_nothing(turn, kept, turns=30)


def test_objects_of_classes_of_the_programs_own():
    """Their attributes lie elsewhere, perhaps."""
    class Mine(cl.Buffer):
        __slots__ = ("first", "second")

    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    mine = Mine(context, cl.mem_flags.READ_WRITE, 64)
    mine.first = "kept"
    cl.enqueue_fill_buffer(queue, mine, b"\x07", 0, 64)
    found = bytearray(64)
    cl.enqueue_copy(queue, found, mine)
    assert found == b"\x07" * 64 and mine.first == "kept" and mine.size == 64
    mine.release()


def printed(program):
    build_for_source_tree()  # into the test's own cache
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment(CL2CUDA_DEVICE="host"))
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_there_is_room_for_all_slots():
    """Wherever Python has laid the classes in this process: steps that one process takes in C are not another's in Python."""
    found = printed("""
from cl2cuda.runtime.native import library
room = library.calls().slots(object, ())
from cl2cuda import pyopencl as cl
import pyopencl.array
queue = cl.CommandQueue(cl.create_some_context(interactive=False))
cl.enqueue_marker(queue).wait()
print(room, library.calls().slots(object, ()))
""")
    assert int(found[0]) > int(found[1]) > 64


NONE_IS_KNOWN = """
from cl2cuda.runtime.native import library
kept = [library.know_slots(type(f"Kind{i}", (), {"__slots__": ("position", "queue", "_core")})) for i in range(400)]
from cl2cuda import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
assert library.calls().slots(object, ()) == 0
"""


def test_more_slots_than_there_is_room_for():
    """Those are searched for, as all are without."""
    found = printed(NONE_IS_KNOWN + """
for _ in range(100):
    cl.enqueue_marker(queue).wait()
print(cl.enqueue_marker(queue)._core.position)
""")
    assert int(found[0]) > 100


def test_blocks_of_pools_come_back_where_their_slots_are_not_known():
    found = printed(NONE_IS_KNOWN + """
from cl2cuda.pyopencl_cl.pool import MemoryPool
from cl2cuda.pyopencl_cl.svm import SVMAllocator, SVMPool
from pyopencl.tools import ImmediateAllocator
for pool in (MemoryPool(ImmediateAllocator(queue)), SVMPool(SVMAllocator(context, queue=queue)), SVMPool(SVMAllocator(context))):
    for _ in range(10):
        block = pool.allocate(64) if isinstance(pool, MemoryPool) else pool(64)
        del block
    print(pool.held_blocks, pool.active_blocks)
""")
    assert found == ["1", "0"] * 3
