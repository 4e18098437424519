"""First contents of buffers that wait in page-locked memory, from C (runtime/native/objects.c), over an imagined CUDA: they are those that
Python's own steps leave there, and several threads move them (runtime/native/helpers.c)."""

from __future__ import annotations

import ctypes
import os
import threading

import numpy as np
import pytest
from support.leaks import leaves_nothing

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support import c_library, staged_cuda

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import memory as face
from cl2cuda.pyopencl_cl.handles import to_python
from cl2cuda.runtime.context import snapshots
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

FLAGS = cl.mem_flags
COPIED = FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR
MIB = 1 << 20


class Bench:
    """A context whose memory for contents there is, and so many steps of Python's as were taken since."""

    def __init__(self, device, monkeypatch):
        self.driver, self.in_python = device, []
        self.context = cl.Context([to_python(Device(platforms.platforms()[0], "cuda", device))])
        self.queue, self.other = cl.CommandQueue(self.context), cl.CommandQueue(self.context)
        self.made(b"a" * MIB).release()  # by Python, which makes what the context has for contents
        in_python = face.Buffer._make_in_python
        monkeypatch.setattr(face.Buffer, "_make_in_python",
                            lambda buffer, *more, **named: self.in_python.append(more) or in_python(buffer, *more, **named))

    def made(self, host, size=0, flags=COPIED):
        return cl.Buffer(self.context, flags, size, host)

    def made_in_python(self, host, size=0, flags=COPIED):
        handle = cl.Buffer.__new__(cl.Buffer)
        handle._make_in_python(self.context, flags, size, host)
        self.in_python.pop()
        return handle

    def contents(self, buffer):
        """In the device's memory, which is imagined."""
        return np.frombuffer(ctypes.string_at(buffer._core.address, buffer.size), np.uint8)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(staged_cuda.SOURCE, tmp_path_factory.mktemp("contents"))


@pytest.fixture(params=[1, 4], ids=["alone", "with helpers"])
def bench(request, compiled, monkeypatch):
    return Bench(staged_cuda.staged_device(compiled, monkeypatch, request.param), monkeypatch)


def facts(buffer):
    core = buffer._core
    return (core.flags, core.size, core.host, core.offset, core.parent, core.first._room, vars(buffer), "_storage" in vars(core))


@pytest.mark.parametrize("size", [(64 << 10) + 1, 128 << 10, 200_000, (512 << 10) - 1, 512 << 10, MIB, MIB + 7, 3 * MIB, 4 * MIB])
def test_contents_are_those_of_the_call(bench, size):
    """Whatever becomes of the host's memory before the first use."""
    data = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    expected = data.copy()
    found, other = bench.made(data), bench.made_in_python(data)
    assert facts(found) == facts(other) and not bench.in_python
    data[:] = 0
    assert all(np.array_equal(bench.contents(each), expected) for each in (found, other))


def test_every_kind_of_object_and_a_part_of_one(bench):
    data = np.arange(MIB // 4, dtype=np.uint32)
    for host, size in ((data.tobytes(), 0), (bytearray(data), MIB - 3), (np.asfortranarray(data.reshape(512, -1)), 0), (memoryview(data), 100_000)):
        expected = np.frombuffer(memoryview(host).tobytes("A"), np.uint8)[: size or None]
        assert np.array_equal(bench.contents(bench.made(host, size)), expected) and not bench.in_python


def test_memory_goes_from_one_buffer_to_the_next(bench):
    first = bench.made(b"a" * MIB)
    address = first._core.first.address
    first.release()
    assert first._core.first == b""
    second, third = bench.made(b"b" * MIB), bench.made(b"c" * MIB)
    assert second._core.first.address == address != third._core.first.address and not bench.in_python
    del second
    assert bench.made(b"d" * MIB)._core.first.address == address
    assert bytes(bench.contents(third)) == b"c" * MIB


def test_what_is_not_plain_is_pythons(bench, monkeypatch):
    """More than the context keeps room for, a driver that has none, contents that are not contiguous, or shorter than the buffer."""
    large = bytes(range(256)) * ((snapshots.LARGEST >> 8) + 1)
    much = bench.made(large)
    assert bytes(bench.contents(much)) == large and len(bench.in_python) == 1

    def none(size):
        raise DriverError("nothing left", "MEM_OBJECT_ALLOCATION_FAILURE")

    monkeypatch.setattr(bench.driver, "allocate_host", none)
    kept = bench.made(b"a" * MIB)
    assert len(bench.in_python) == 1
    assert bytes(bench.contents(bench.made(b"b" * MIB))) == b"b" * MIB and len(bench.in_python) == 2
    assert bytes(bench.contents(kept)) == b"a" * MIB
    for host, size in ((np.zeros((1024, 1024), np.uint8)[:, ::2], 0), (b"a" * MIB, MIB + 1)):
        found = []
        for make in (bench.made, lambda *more: face.Buffer.__new__(cl.Buffer)._make_in_python(bench.context, COPIED, *reversed(more))):
            with pytest.raises((cl.Error, BufferError, ValueError)) as failure:
                make(host, size)
            found.append((failure.type, str(failure.value)))
        assert found[0] == found[1]


def test_several_threads(bench):
    wrong = []

    def work(number):
        data = np.full(MIB, number, np.uint8)
        for _ in range(40):
            buffer = bench.made(data)
            if ctypes.string_at(buffer._core.first.address, MIB) != data.tobytes():
                wrong.append(number)
            buffer.release()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_nothing_is_lost(bench):
    data = np.zeros(MIB, np.uint8)
    counted = (bench.context._core, data, bench.context._core._snapshots, snapshots.Snapshot, type(bench.context._core))

    def everything():
        bench.made(data).release()
        bench.made(data, 100_000)
        bench.made(np.zeros(snapshots.LARGEST + 1, np.uint8)).release()
        bench.in_python.clear()
        bench.queue.finish()

    leaves_nothing(everything, counted, turns=20)
    data.resize(10, refcheck=False)  # Nobody has its memory.
