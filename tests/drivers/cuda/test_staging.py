"""Copies of pageable memory through page-locked memory, over an imagined CUDA; test_cuda_driver.py has a real one's."""

import queue
import threading

import numpy as np
import pytest
from support.fake_cuda import CudaError, FakeCuda

from cl2cuda.runtime.cuda import staging
from cl2cuda.runtime.cuda import stream as stream_file
from cl2cuda.runtime.cuda.context import NOT_READY
from cl2cuda.runtime.cuda.copy_sizes import DIRECT, SCRATCH
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.driver.interface import DriverError


class PageableCuda(FakeCuda):
    def is_pageable(self, address):
        return address not in self.runtime.memory


@pytest.fixture
def cuda(monkeypatch):
    monkeypatch.setattr(stream_file, "BY_CUDA", DIRECT)
    monkeypatch.setattr(staging, "SLOT", 256 << 10)
    monkeypatch.setattr(staging, "SMALLEST", 64 << 10)
    monkeypatch.setattr(staging, "threads", lambda: 3)
    device = CudaDevice(PageableCuda(), 0)
    copies = device.copies = []
    plain = device.cuda.runtime.memcpyAsync
    device.cuda.runtime.memcpyAsync = lambda *arguments: copies.append(arguments[2]) or plain(*arguments)
    return device


def address(array):
    return array.ctypes.data


@pytest.mark.parametrize("size", [DIRECT + 1, 200_000, 1 << 20, (3 << 20) + 12345])
def test_there_and_back(cuda, size):
    data = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    back = np.zeros_like(data)
    stream, device = cuda.open_stream(), cuda.allocate(size)
    assert stream.copy("host_to_device", device, address(data), size) is True
    assert stream.copy("device_to_host", address(back), device, size) is True
    assert np.array_equal(data, back)
    assert sum(cuda.copies) == 2 * size and max(cuda.copies) <= 256 << 10
    assert cuda.staging._free.qsize() <= 6


@pytest.mark.parametrize("size", [1, SCRATCH, SCRATCH + 1, DIRECT])
def test_small_copies_go_directly(cuda, size):
    data = np.arange(size, dtype=np.uint8)
    stream, device = cuda.open_stream(), cuda.allocate(size)
    assert stream.copy("host_to_device", device, address(data), size) is True
    back = np.zeros_like(data)
    assert stream.copy("device_to_host", address(back), device, size) is True
    assert np.array_equal(data, back)
    assert cuda.copies == [size, size] and cuda.staging._unmade == 6 and not cuda.staging._workers._threads


def test_a_small_read_says_whether_it_has_ended(cuda):
    data, stream, device = np.zeros(64, np.uint8), cuda.open_stream(), cuda.allocate(64)
    assert stream.copy("device_to_host", address(data), device, 64) is True
    cuda.cuda.runtime.streamQuery = lambda stream: NOT_READY
    assert stream.copy("device_to_host", address(data), device, 64) is False


def test_what_keeps_the_thread_busy(cuda):
    stream, data, locked = cuda.open_stream(), np.zeros(1 << 20, np.uint8), cuda.allocate_host(1 << 20)
    assert not stream.blocks_caller("host_to_device", address(data), DIRECT)
    assert stream.blocks_caller("host_to_device", address(data), DIRECT + 1)
    assert stream.blocks_caller("device_to_host", address(data), 4)
    assert not stream.blocks_caller("device_to_host", locked, 4)


def test_fences_around_the_devices_part_of_a_copy(cuda):
    """The processor's comes before the first fence, or after the second."""
    size, calls, stream = 100_000, [], cuda.open_stream()
    stream.fence(True)  # which makes the device's time line
    data, device = np.arange(size, dtype=np.uint8), cuda.allocate(size)
    back, runtime = np.zeros_like(data), cuda.cuda.runtime
    copy, record = runtime.memcpyAsync, runtime.eventRecord
    runtime.memcpyAsync = lambda *words: calls.append("copy") or copy(*words)
    runtime.eventRecord = lambda event, handle: calls.append(event) or record(event, handle)
    begun, ended = stream.timed_copy("host_to_device", device, address(data), size)
    assert calls[:3] == [begun.event, "copy", ended.event] and len(calls) == 4  # and the slot's
    calls.clear()
    begun, ended = stream.timed_copy("device_to_host", address(back), device, size)
    assert calls == [begun.event, "copy", ended.event] and (back == data).all()
    locked = cuda.allocate_host(size)
    assert stream.timed_copy("host_to_device", device, locked, size) is None  # which is plain
    large = np.zeros(staging.SLOT + 1, np.uint8)
    assert stream.timed_copy("host_to_device", device, address(large), large.nbytes) is None
    cuda.staging._free, cuda.staging._unmade = queue.SimpleQueue(), 1
    cuda.staging._allocate_host = refuse
    assert stream.timed_copy("host_to_device", device, address(data), size) is None


def refuse(size):
    raise DriverError("no page-locked memory is left", "MEM_OBJECT_ALLOCATION_FAILURE")


def test_many_threads_share_few_slots(cuda):
    size, failures = 1 << 20, []

    def work(seed):
        data = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
        back, stream, device = np.zeros_like(data), cuda.open_stream(), cuda.allocate(size)
        for _ in range(5):
            stream.copy("host_to_device", device, address(data), size)
            stream.copy("device_to_host", address(back), device, size)
            if not np.array_equal(data, back):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=[seed]) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and cuda.staging._free.qsize() <= 6


def test_errors_come_back_and_slots_too(cuda):
    data = np.zeros(3 << 20, np.uint8)
    stream, device = cuda.open_stream(), cuda.allocate(3 << 20)
    stream.copy("host_to_device", device, address(data), data.size)
    slots = cuda.staging._free.qsize()

    def fail(*arguments):
        raise CudaError(719)

    good, cuda.cuda.runtime.memcpyAsync = cuda.cuda.runtime.memcpyAsync, fail
    for kind in ("host_to_device", "device_to_host"):
        with pytest.raises(DriverError, match="719"):
            stream.copy(kind, device, address(data), data.size)
    cuda.cuda.runtime.memcpyAsync = good
    assert cuda.staging._free.qsize() >= slots
    stream.copy("host_to_device", device, address(data), data.size)


def test_memory_that_is_page_locked_in_part_is_staged(cuda):
    data = np.arange(1 << 20, dtype=np.uint8)
    stream, device = cuda.open_stream(), cuda.allocate(1 << 20)
    cuda.cuda.is_pageable = lambda address: False
    good = cuda.cuda.runtime.memcpyAsync

    def refuse_large(destination, source, size, kind, stream):
        if size == data.size:
            raise CudaError(1)
        good(destination, source, size, kind, stream)

    cuda.cuda.runtime.memcpyAsync = refuse_large
    assert stream.copy("host_to_device", device, address(data), data.size) is True
    back = np.zeros_like(data)
    assert stream.copy("device_to_host", address(back), device, data.size) is True
    assert np.array_equal(data, back)
