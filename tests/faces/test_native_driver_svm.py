"""Commands on shared virtual memory by the driver library itself (driver/svm.c), over a CUDA that is imagined, as Python's: what CUDA is called
for, what is left to Python, and that what was freed is not used."""

import struct
from types import SimpleNamespace

import pytest
from support import driver_arrays

from cl2cuda.opencl_icd.native_commands import allocation_of
from cl2cuda.runtime.context.shared_memory import Allocation, SharedMemory
from cl2cuda.runtime.native import library

needs_calls = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

SHARED = """
from cl2cuda.opencl_icd import native_commands

# Python is asked where an address lies after a command that was left to it.
asked = native_commands.allocation_of
native_commands.allocation_of = lambda context, address: by_python.append("asked") or asked(context, address)
cl.clSVMAlloc.restype = P
context = application.core(cl_context.value, "C")

def allocate(size=8192):
    found = cl.clSVMAlloc(cl_context, W(1), W(size), 0)
    assert found
    return found

def copy(to, of, size=63, blocking=1, where=None, event=None):
    return cl.clEnqueueSVMMemcpy(where or queue, blocking, P(to), P(of), W(size), 0, None, event)

def fill(at, pattern=b"abcd", size=64):
    return cl.clEnqueueSVMMemFill(queue, P(at), pattern, W(len(pattern)), W(size), 0, None, None)

def map_shared(at, size=64, flags=READ, blocking=1, event=None):
    return cl.clEnqueueSVMMap(queue, blocking, W(flags), P(at), W(size), 0, None, event)

def unmap_shared(at, event=None, where=None):
    return cl.clEnqueueSVMUnmap(where or queue, P(at), 0, None, event)

def bytes_at(address, size=64):
    return ctypes.string_at(address, size)

host = ctypes.create_string_buffer(bytes(range(256)) * 32, 8192)
HOST = ctypes.addressof(host)
memory = allocate()
for _ in range(2):
    ok(copy(memory, HOST)), ok(fill(memory)), ok(map_shared(memory)), ok(unmap_shared(memory))
ok(cl.clFinish(queue)), taken()
"""


def run(text):
    return driver_arrays.run(text, SHARED, "FillingCuda")


def test_copies():
    assert run("""
ok(copy(memory + 8, HOST + 1, 201))
assert taken() == "shared" and bytes_at(memory + 8, 201) == bytes(range(1, 202))
ok(copy(HOST + 4096, memory + 8, 201))
assert taken() == "shared" and host.raw[4096:4297] == bytes(range(1, 202))
other, event = allocate(), P()
for turn in range(2):
    taken(), ok(copy(other, memory + 8, 100, 0, event=ctypes.byref(event)))
    assert bytes_at(other, 100) == bytes(range(1, 101))
    found = ctypes.c_int()
    ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(found), None))
    hear_of(event)
    ok(cl.clGetEventInfo(event, 0x11D1, W(4), ctypes.byref(found), None))
    assert found.value == 0x120A
assert taken() == "shared"
ok(copy(memory, HOST, 64, 0))  # The host's memory may be anything.
assert "submit" in taken()
assert copy(memory, memory + 8) == -8 and copy(memory, HOST, 8200) == -30 and copy(0, HOST) == -30
ok(copy(HOST, HOST + 4096))
assert "submit" in taken() and host.raw[:63] == bytes(range(1, 64))
""") == ""


def test_little_copies_by_a_kernel():
    assert run("""
from cl2cuda.runtime.cuda import own_kernels
kernel = application.core(queue.value, "Q").device.driver_device.context.copy_kernel

def copied(to, of, size):
    taken(), ok(copy(to, of, size))
    assert bytes_at(to, size) == bytes_at(of, size)
    return taken()

for number in range(own_kernels.FEW + 1):
    assert kernel.word.value == own_kernels.UNKNOWN and cuda.loaded == 0
    assert "submit" in copied(memory, HOST + number, 4096)
kernel.wait()
assert cuda.loaded == 1
assert copied(memory + 8, HOST + 3, 4000) == "copy kernel" and copied(HOST + 4096, memory + 16, 8) == "copy kernel"
assert copied(memory, HOST + 5, 4092) == "shared" and copied(memory + 4, HOST + 6, 4096) == "shared"
assert copied(memory, HOST, own_kernels.COPIED) == "copy kernel"
ok(cl.clEnqueueSVMMemcpy(queue, 0, P(memory + 4096), P(memory), W(64), 0, None, None))
assert taken() == "shared"
large = allocate(16384)
host.raw = bytes(range(255, -1, -1)) * 32
for _ in range(2):
    last = copied(large + 8, HOST, 8192 - 8)
assert last == "copy kernel"
assert copied(large, large + 8192, own_kernels.COPIED) == "shared"
""") == ""


def test_without_the_kernel_copies_are_cudas():
    assert run("""
cuda.refused = True
for number in range(8):
    taken(), ok(copy(memory, HOST + number, 4096))
    application.core(queue.value, "Q").device.driver_device.context.copy_kernel.wait()
assert taken() == "shared" and bytes_at(memory, 4096) == bytes_at(HOST + 7, 4096) and cuda.loaded == 1
""") == ""


def test_fills():
    assert run("""
ok(fill(memory, b"xyzw", 4096))
assert taken() == "fill" and bytes_at(memory, 4096) == b"xyzw" * 1024
for _ in range(6):
    ok(fill(memory, b"abcdefgh", 8192))
    application.core(queue.value, "Q").device.driver_device.context.fill_kernel.wait()
    last = taken()
assert last == "kernel" and bytes_at(memory, 8192) == b"abcdefgh" * 1024
assert fill(memory + 2) == -30 and fill(memory, b"abc", 63) == -30 and fill(memory, size=1 << 20) == -30 and fill(memory, size=62) == -30
""") == ""


def test_maps():
    assert run("""
ok(map_shared(memory + 64, 128, READ | WRITE))
assert taken() == ""
ok(unmap_shared(memory + 64))
assert taken() == "pages"
events = (P * 2)()
ok(map_shared(memory, event=ctypes.byref(events, 0), blocking=0)), ok(unmap_shared(memory, ctypes.byref(events, 8)))
assert taken() == "pages"
found = ctypes.c_int()
for event, command in zip(events, (0x120C, 0x120D)):
    ok(cl.clGetEventInfo(P(event), 0x11D1, W(4), ctypes.byref(found), None))
    hear_of(P(event))
    ok(cl.clGetEventInfo(P(event), 0x11D1, W(4), ctypes.byref(found), None))
    assert found.value == command
ok(cl.clWaitForEvents(2, events))
assert unmap_shared(memory) == -30 and map_shared(memory, 0) == -30 and map_shared(memory, 64, 8) == -30
for _ in range(20):
    ok(map_shared(memory))
for _ in range(20):
    ok(unmap_shared(memory))
assert unmap_shared(memory) == -30 and not context.svm.mapped
# A queue whose commands are Python's unmaps what the library has mapped.
unordered = handle("clCreateCommandQueueWithProperties", cl_context, device, (W * 3)(0x1093, 1, 0))
ok(map_shared(memory, 32)), taken()
ok(unmap_shared(memory, where=unordered))
assert "submit" in taken() and unmap_shared(memory) == -30 and not context.svm.mapped
# Many pages are asked for, in both directions.
large = allocate(1 << 20)
ok(map_shared(large, 1 << 20)), ok(unmap_shared(large)), taken()
for blocking in (1, 0):
    ok(map_shared(large, 1 << 20, blocking=blocking))
    assert taken() == "pages"
    ok(unmap_shared(large))
    assert taken() == "pages"
cuda.status = 1
assert map_shared(large, 1 << 20) == 0 and taken() == "pages submit"
cuda.status = 0
""") == ""


MIGRATIONS = """
def migrate(*regions, flags=0, event=None, waits=None, count=None):
    addresses, sizes = (P * len(regions))(*(at for at, _ in regions)), (W * len(regions))(*(size for _, size in regions))
    return cl.clEnqueueSVMMigrateMem(queue, len(regions) if count is None else count, addresses, sizes if any(sizes) else None, W(flags),
                                     1 if waits else 0, waits, event)

HOST_SIDE, UNDEFINED = 1, 2
large = allocate(5 << 20)
for _ in range(2):
    ok(migrate((memory, 0), (large, 0)))
taken()
"""


def test_migrations():
    assert run(MIGRATIONS + """
ok(migrate((memory, 0)))
assert taken() == "pages"
ok(migrate((memory + 100, 0), (large, 64), (memory, 8192), flags=UNDEFINED))
assert taken() == "pages pages pages"
# Few pages come to the host by themselves.
ok(migrate((memory, 0), (large, 5 << 20), flags=HOST_SIDE))
assert taken() == "pages"
event, next = P(), P()
ok(migrate((memory, 64), event=ctypes.byref(event)))
ok(migrate((memory, 64), waits=(P * 1)(event), event=ctypes.byref(next)))
assert taken() == "pages pages" and told(next, 0x11D1) == 0x120E and told(next, 0x11D3) == 0
assert migrate((memory, 8193)) == -30 and migrate((memory, 64), (HOST, 64)) == -30 and migrate((memory, 64), flags=4) == -30
assert migrate() == -30 and migrate((0, 0)) == -30 and migrate((memory, 64), flags=4, waits=(P * 1)(None)) < 0
taken(), ok(migrate(*[(memory, 64)] * 17))
assert "submit" in taken()
cuda.status = 1
ok(migrate((memory, 64)))
assert taken() == "pages submit"
cuda.status = 0
cl.clSVMFree(cl_context, P(memory))
assert migrate((memory, 64)) == -30
""") == ""


def test_what_was_freed_is_pythons_again():
    assert run("""
cl.clSVMFree(cl_context, P(memory))
ok(cl.clFinish(queue)), taken()
again = allocate()
ok(fill(again))
assert "asked" in taken()
ok(fill(again))
assert taken() == "fill"
# The host's memory was no allocation: after another one was made it may be.
ok(copy(again, HOST)), taken(), ok(copy(again, HOST))
assert taken() == "shared"
allocate(), ok(copy(again, HOST))
assert "asked" in taken()
""") == ""


def test_threads_map_and_fill():
    assert run("""
import threading
wrong = []

def work(number):
    mine = memory + 1024 * number
    for turn in range(200):
        codes = fill(mine, bytes([number] * 4), 256), map_shared(mine), unmap_shared(mine)
        if any(codes) or bytes_at(mine, 256) != bytes([number]) * 256:
            wrong.append(codes)

threads = [threading.Thread(target=work, args=(each,)) for each in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not wrong, wrong[0]
""") == ""


@needs_calls
def test_few_pages_wait_for_what_uses_them():
    """Where the calls in C are compiled, which Python's launches bring them by."""
    assert driver_arrays.run("""
for at in (memory, memory + 4096, memory):
    ok(map_shared(at, flags=WRITE)), ok(unmap_shared(at))
assert taken() == ""
ok(copy(memory, memory + 4096))
assert taken() == "pages pages shared"
ok(map_shared(memory)), ok(unmap_shared(memory)), ok(fill(memory))
assert taken() == "pages fill"
ok(map_shared(memory)), ok(unmap_shared(memory)), ok(map_shared(memory, 4096)), ok(fill(memory + 4096))
assert taken() == "fill"
ok(unmap_shared(memory))
cl.clSVMFree(cl_context, P(memory))
ok(cl.clFinish(queue)), taken()
again = allocate()
ok(fill(again)), taken(), ok(fill(again))
assert taken() == "fill"
""", SHARED, "FillingCuda", "1") == ""


@needs_calls
def test_few_pages_that_are_migrated_wait_for_what_uses_them():
    assert driver_arrays.run(MIGRATIONS + """
ok(fill(memory)), taken()
ok(migrate((memory, 64), (memory, 128), (large, 5 << 20)))
assert taken() == "pages"
ok(fill(memory))
assert taken() == "pages fill"
ok(migrate((memory, 0))), ok(migrate((memory, 0), flags=HOST_SIDE)), ok(fill(memory))
assert taken() == "fill"
""", SHARED, "FillingCuda", "1") == ""


LAUNCHES = """
cl.clSVMAlloc.restype = P
memory = cl.clSVMAlloc(cl_context, W(1), W(8192), 0)

def map_and_unmap():
    ok(cl.clEnqueueSVMMap(queue, 1, W(3), P(memory), W(64), 0, None, None)), ok(cl.clEnqueueSVMUnmap(queue, P(memory), 0, None, None))

# The second user event of a context is known, and the second launch of a kernel that is held back.
for _ in range(3):
    gate = handle("clCreateUserEvent", cl_context)
    map_and_unmap(), launch(), launch(gate, queue=queue)
    ok(cl.clSetUserEventStatus(gate, 0))
    ok(cl.clFinish(queue)), finish()
taken()
"""


@needs_calls
def test_launches_bring_what_is_due(run_lanes):
    run_lanes(LAUNCHES + """
map_and_unmap()
assert taken() == ""
launch(queue=queue), launch(queue=queue)
assert taken() == "aP aL aL"
map_and_unmap(), launch()
assert taken() == "0P 0L"
gate = handle("clCreateUserEvent", cl_context)
map_and_unmap(), launch(gate, queue=queue)
assert taken() == ""
ok(cl.clSetUserEventStatus(gate, 0))
assert taken() == "aP aL" and not submitted
""")


def test_an_allocation_that_another_thread_frees_meanwhile_is_not_known():
    """By its count the library takes nothing there for allocated, whatever is made there next."""
    class Meeting(SharedMemory):
        def find(self, address):
            found = super().find(address)
            self.remove(found.address)
            return found

    shared = Meeting()
    shared.add(Allocation(4096, 64, 0, None))
    *_, is_allocation, count = struct.unpack("<6Q", allocation_of(SimpleNamespace(svm=shared), 4100))
    assert (is_allocation, count) == (1, 0) and shared.freed.value == 1
