"""Staged copies in C (runtime/native/staging.h) over an imagined CUDA; test_staging.py has Python's, test_cuda_driver.py a real CUDA's."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from support import c_library, staged_cuda

from cl2cuda.runtime.cuda import staging
from cl2cuda.runtime.cuda.copy_sizes import READ_BY_CUDA, WRITTEN_BY_CUDA
from cl2cuda.runtime.driver.interface import DeviceLost, DriverError, StreamHints
from cl2cuda.runtime.native import library

pytestmark = pytest.mark.skipif(library.calls() is None, reason="the calls were not compiled")

SLOT, SLOTS = library.STAGING_SLOT, 64


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    return c_library.load(staged_cuda.SOURCE, tmp_path_factory.mktemp("staged"))


@pytest.fixture
def device(compiled, monkeypatch):
    return staged_cuda.staged_device(compiled, monkeypatch)


def numbers(size, seed=0):
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


def address(array):
    return array.ctypes.data


def copy(device, stream, to_device, host, memory, size=None):
    """Through the slots, whatever the size."""
    ends = (to_device, address(host), memory, host.nbytes if size is None else size)
    return device.staging.copy_natively(device.staging.native, ends, stream.handle, stream.poll_ns)


def add_all_slots(device):
    for _ in range(SLOTS // library.STAGING_ADDED):
        device.staging._add_slots(device.staging.native)


def wait_until(done):
    deadline = time.monotonic() + 20
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.parametrize("size", [1, 64 << 10, (64 << 10) + 1, 512 << 10, (512 << 10) + 1, 2 << 20, (2 << 20) + 1, 9 << 20, (15 << 20) + 12345])
@pytest.mark.parametrize("threads", [2, 4])
def test_there_and_back(compiled, monkeypatch, size, threads):
    """Short copies have small chunks, and none is larger than a slot. Slots are added as they are needed."""
    device = staged_cuda.staged_device(compiled, monkeypatch, threads)
    stream, memory, data = device.open_stream(), device.allocate(size), numbers(size)
    chunk = 64 << 10 if size <= 512 << 10 else 128 << 10 if size <= 2 << 20 else SLOT
    back, made = np.zeros_like(data), -(-min(32, -(-size // chunk)) // 16) * 16
    assert copy(device, stream, True, data, memory)
    wait_until(lambda: device.staging.native.free_slots() == made)
    assert copy(device, stream, False, back, memory)
    assert np.array_equal(data, back)
    assert device.cuda.number("bytes").value == 2 * size and device.cuda.number("largest").value == min(size, chunk)
    assert device.cuda.number("copies").value == 2 * -(-size // chunk) and not device.cuda.by_itself
    assert device.staging.native.free_slots() == made


def test_streams_copy_what_is_large(device):
    """Smaller copies are CUDA's, as are those of page-locked memory."""
    stream, large = device.open_stream(), 7 << 20
    memory, data = device.allocate(large), numbers(large)
    back = np.zeros_like(data)
    assert stream.copy("host_to_device", memory, address(data), large) is True
    assert stream.copy("device_to_host", address(back), memory, large) is True
    assert np.array_equal(back, data) and not device.cuda.by_itself
    staged = device.cuda.number("copies").value
    stream.copy("device_to_host", address(back), memory, READ_BY_CUDA)
    stream.copy("host_to_device", memory, address(data), WRITTEN_BY_CUDA)
    locked = device.allocate_host(large)
    assert stream.copy("device_to_host", locked, memory, large) is False
    assert stream.copy("host_to_device", memory, locked, large) is False
    assert device.cuda.by_itself == [READ_BY_CUDA, WRITTEN_BY_CUDA, large, large] and device.cuda.number("copies").value == staged
    assert not device.staging._workers._threads


def test_one_thread_leaves_copies_to_cuda(compiled, monkeypatch):
    device = staged_cuda.staged_device(compiled, monkeypatch, threads=1)
    stream, memory, data = device.open_stream(), device.allocate(8 << 20), numbers(8 << 20)
    stream.copy("host_to_device", memory, address(data), data.nbytes)
    assert device.staging.native is None and device.cuda.by_itself == [8 << 20] and not stream.native().pool


def test_memory_that_is_page_locked_in_part(device):
    stream, size = device.open_stream(), 8 << 20
    memory, data = device.allocate(size), numbers(size)
    back = np.zeros_like(data)
    for pageable in (lambda place: place == address(data), lambda place: place != address(data)):
        device.cuda.is_pageable = pageable
        assert stream.copy("host_to_device", memory, address(data), size) is True
    assert stream.copy("device_to_host", address(back), memory, size) is True
    assert np.array_equal(back, data) and not device.cuda.by_itself


def test_a_write_has_read_the_hosts_memory_when_it_returns(device):
    """The device may come to it much later, and to what is written behind."""
    stream, size = device.open_stream(), 2 << 20
    memory, first, second = device.allocate(2 * size), numbers(size, 1), numbers(size, 2)
    kept = np.concatenate([first, second])
    copy(device, stream, True, first, memory)
    held = device.cuda.number("held")
    held.value = -1
    copy(device, stream, True, first, memory)
    copy(device, stream, True, second, memory + size)
    first[:] = second[:] = 0
    free = device.staging.native.free_slots()
    other = np.zeros(2 * size, np.uint8)
    held.value = 0
    copy(device, stream, False, other, memory)
    assert np.array_equal(other, kept)
    assert device.staging.native.free_slots() >= free + 16


def test_a_slot_is_used_again_only_when_the_device_has_left_it(device):
    """More is written than there are slots for: the rest waits until the stream goes on."""
    stream, size = device.open_stream(), 12 << 20
    memory, data, held = device.allocate(size), numbers(size), device.cuda.number("held")
    copy(device, stream, True, np.zeros(size, np.uint8), memory)
    held.value = -1
    writing = threading.Thread(target=copy, args=(device, stream, True, data, memory))
    writing.start()
    time.sleep(0.05)
    assert writing.is_alive()
    held.value = 0
    writing.join(20)
    back = np.zeros_like(data)
    copy(device, stream, False, back, memory)
    assert not writing.is_alive() and np.array_equal(back, data)


def test_little_is_left_to_cuda_before_slots_are_made(compiled, monkeypatch):
    """Page-locked memory for them takes CUDA longer than a few copies: a program that makes no more has none."""
    device = staged_cuda.staged_device(compiled, monkeypatch, before_slots=4 << 20)
    stream, size = device.open_stream(), 1 << 20
    memory, data, back, made = device.allocate(size), numbers(size), np.zeros(size, np.uint8), device.staging.native
    for _ in range(2):
        assert stream.copy("host_to_device", memory, address(data), size)
        back[:] = 0
        assert stream.copy("device_to_host", address(back), memory, size)
        assert np.array_equal(back, data) and made.free_slots() == 0
        data += 1
    assert device.cuda.by_itself == [size] * 4
    assert stream.copy("host_to_device", memory, address(data), size)
    assert made.free_slots() > 0, "the next one is made in C"
    assert stream.copy("device_to_host", address(back), memory, size) and np.array_equal(back, data)


def test_pythons_writes_make_room_for_those_in_c(device):
    """As many slots as the largest takes that waits for nothing, and more while the device has not left them, until there may be no more."""
    stream, size = device.open_stream(), 2 << 20
    memory, data, made = device.allocate(size), numbers(size), device.staging.native
    stream.copy("host_to_device", memory, address(data), 64 << 10)
    assert made.free_slots() == 0
    for _ in range(2):
        stream.copy("host_to_device", memory, address(data), size)
        assert made.free_slots() == 16
    held, own = device.cuda.number("held"), stream.native()
    write = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)(own.write_unwaited)
    held.value = -1
    for there_are in (16, 32, 48, 64):
        assert write(own.pool, memory, address(data), size, own.handle) == 0
        assert write(own.pool, memory, address(data), size, own.handle) == library.STAGING_FULL
        stream.copy("host_to_device", memory, address(data), size)
        assert made.free_slots() == (16 if there_are < 64 else 0)
    assert device.staging._is_full
    held.value = 0
    stream.synchronize()
    assert made.free_slots() == 64


@pytest.mark.parametrize("throttle", ["medium", "low"])
def test_long_waits_leave_the_processor(device, throttle):
    """A thread polls as long as its stream does, and then with pauses of a part of the time so far."""
    stream, size = device.open_stream(StreamHints(throttle=throttle)), 1 << 20
    memory, back, data = device.allocate(size), np.zeros(size, np.uint8), numbers(size)
    copy(device, stream, True, data, memory)
    device.cuda.number("held").value = -1
    reading = threading.Thread(target=copy, args=(device, stream, False, back, memory))
    reading.start()
    time.sleep(0.3)
    queries = device.cuda.number("queries").value
    used = time.process_time()
    time.sleep(0.2)
    assert 0 < device.cuda.number("queries").value - queries < 100 and time.process_time() - used < 0.1
    device.cuda.number("held").value = 0
    reading.join(20)
    assert np.array_equal(back, data)


def test_python_runs_meanwhile(device):
    stream, size = device.open_stream(), 1 << 20
    memory, back = device.allocate(size), np.zeros(size, np.uint8)
    device.cuda.number("held").value = -1
    release = threading.Timer(0.1, lambda: setattr(device.cuda.number("held"), "value", 0))
    release.start()
    copy(device, stream, False, back, memory)
    release.join()


@pytest.mark.parametrize("slots", ["many", "few"])
def test_many_threads_on_many_streams(device, slots):
    """There are fewer slots than they would like: some copy with few, others leave it to CUDA."""
    size, failures, staged = 5 << 20, [], device.staging
    if slots == "few":
        staged._allocate_host = _given_once(staged._allocate_host)

    def work(seed):
        data, stream, memory = numbers(size, seed), device.open_stream(), device.allocate(size)
        back = np.zeros_like(data)
        for _ in range(4):
            written = copy(device, stream, True, data, memory)
            if written:
                while not copy(device, stream, False, back, memory):
                    time.sleep(0.001)
                if not np.array_equal(data, back):
                    failures.append(seed)
                back[:] = 0

    threads = [threading.Thread(target=work, args=[seed]) for seed in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures
    wait_until(lambda: staged.native.free_slots() == (16 if slots == "few" else SLOTS))


def _given_once(allocate):
    given = []

    def once(size):
        if given:
            raise DriverError("no page-locked memory is left", "MEM_OBJECT_ALLOCATION_FAILURE")
        given.append(size)
        return allocate(size)

    return once


@pytest.mark.parametrize("kind", ["host_to_device", "device_to_host"])
def test_no_page_locked_memory_is_left(device, kind):
    """CUDA has some of its own."""
    def refuse(size):
        raise DriverError("no page-locked memory is left", "MEM_OBJECT_ALLOCATION_FAILURE")

    device.staging._allocate_host = refuse
    stream, data, memory = device.open_stream(), numbers(8 << 20), device.allocate(8 << 20)
    ends = (memory, address(data)) if kind == "host_to_device" else (address(data), memory)
    assert stream.copy(kind, *ends, data.nbytes) is True
    assert device.cuda.by_itself == [data.nbytes] and not device.cuda.number("copies").value


def test_slots_are_no_more_than_there_may_be(device):
    stream, data, memory = device.open_stream(), numbers(10 << 20), device.allocate(10 << 20)
    copy(device, stream, True, data, memory)
    before = len(device.cuda.runtime.memory)
    for _ in range(6):
        assert device.staging._add_slots(device.staging.native)
    wait_until(lambda: device.staging.native.free_slots() == SLOTS)
    assert len(device.cuda.runtime.memory) <= before + 3  # of which one may be kept for others


@pytest.mark.parametrize("at", [1, 2, 7, 39])
@pytest.mark.parametrize("kind", ["host_to_device", "device_to_host"])
def test_errors_in_the_middle(device, kind, at):
    """The copy ends, says what is wrong, and its slots come back."""
    stream, size = device.open_stream(), 10 << 20
    data, memory = numbers(size), device.allocate(size)
    ends = (memory, address(data)) if kind == "host_to_device" else (address(data), memory)
    add_all_slots(device)
    device.cuda.number("fails_at").value = at
    with pytest.raises(DeviceLost, match="719"):
        stream.copy(kind, *ends, size)
    with pytest.raises(DeviceLost, match="719"):
        device.staging.copy_natively(device.staging.native, (False, address(data), memory, size), stream.handle, stream.poll_ns)
    device.cuda.compiled.forget()
    wait_until(lambda: device.staging.native.free_slots() == SLOTS)
    back = np.zeros_like(data)
    assert stream.copy("host_to_device", memory, address(data), size) is True
    assert stream.copy("device_to_host", address(back), memory, size) is True
    assert np.array_equal(back, data)


def test_an_error_after_which_cuda_goes_on(device):
    """What was given before still comes into the slots, which nobody uses meanwhile."""
    stream, other, size = device.open_stream(), device.open_stream(), 10 << 20
    data, memory, back = numbers(size), device.allocate(size), np.zeros(size, np.uint8)
    add_all_slots(device)
    copy(device, other, True, data, memory)
    wait_until(lambda: device.staging.native.free_slots() == SLOTS)
    device.cuda.number("fails_once").value = 1
    device.cuda.number("fails_at").value = device.cuda.number("copies").value + 9
    device.cuda.number("held").value = 1 << (stream.handle & 63)
    with pytest.raises(DriverError, match="719"):
        stream.copy("device_to_host", address(back), memory, size)
    assert device.staging.native.free_slots() == SLOTS - 8
    back[:] = 0
    copy(device, other, False, back, memory)
    assert np.array_equal(back, data)
    device.cuda.number("held").value = 0
    wait_until(lambda: device.staging.native.free_slots() == SLOTS)


def test_under_capture_copies_are_pythons(device):
    stream, size = device.open_stream(), 8 << 20
    data, memory = numbers(size), device.allocate(size)
    stream.capture = object()
    assert stream.copy("host_to_device", memory, address(data), size) is True
    assert not device.cuda.number("copies").value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_leaves_copies_to_cuda(device):
    """Which has no threads, and not the slots that others had in hand."""
    stream, size = device.open_stream(), 8 << 20
    data, memory = numbers(size), device.allocate(size)
    copy(device, stream, True, data, memory)
    child = os.fork()
    if not child:
        signal.alarm(20)
        with contextlib.suppress(BaseException):
            staged = copy(device, stream, False, data, memory)
            stream.copy("host_to_device", memory, address(data), size)
            os._exit(0 if not staged and device.cuda.by_itself == [size] else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert copy(device, stream, False, data, memory)


def test_slots_outlive_the_copies_that_are_under_way(device):
    """As when Python ends before threads of the program do."""
    stream, size = device.open_stream(), 1 << 20
    data, back, memory = numbers(size), np.zeros(size, np.uint8), device.allocate(size)
    copy(device, stream, True, data, memory)
    stream.synchronize()
    own, held = stream.native(), device.cuda.number("held")
    read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p,
                            ctypes.c_uint64)(own.read_staged)
    held.value = -1
    queries, found = device.cuda.number("queries").value, []
    reading = threading.Thread(target=lambda: found.append(read(own.pool, address(back), memory, size, own.handle, 1 << 40)))
    reading.start()
    wait_until(lambda: device.cuda.number("queries").value > queries)
    native = device.staging.__dict__.pop("native")
    assert sys.getrefcount(native) == 2
    del native
    pieces = [bytearray(b"x" * ctypes.sizeof(ctypes.c_void_p) * 600) for _ in range(100)]  # which would take memory that was freed
    held.value = 0
    reading.join(20)
    assert found == [0] and np.array_equal(back, data) and len(pieces) == 100


def test_helpers_take_no_signals_and_are_no_more_than_allowed(device, monkeypatch):
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads are not told")
    before = set(helpers())
    stream, size = device.open_stream(), 8 << 20
    data, memory = numbers(size), device.allocate(size)
    for _ in range(20):
        copy(device, stream, True, data, memory)
        copy(device, stream, False, data, memory)
    takes_signals = helpers()
    assert takes_signals and not any(takes_signals.values())
    assert len(takes_signals.keys() - before) <= 8  # Code of another build may have had its own in this process.


def test_helpers_that_nobody_calls_sleep(device):
    """They poll for a little while behind a copy."""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("threads are not told")
    stream, size = device.open_stream(), 8 << 20
    data, memory = numbers(size), device.allocate(size)
    for _ in range(5):
        copy(device, stream, True, data, memory)
    time.sleep(0.05)
    before = {task: time_of(task) for task in helpers()}
    time.sleep(0.2)
    assert before and all(time_of(task) - spent <= 2 for task, spent in before.items())
    back = np.zeros_like(data)
    copy(device, stream, False, back, memory)
    assert np.array_equal(back, data)


def time_of(task):
    """What it has had of processors, in hundredths of a second."""
    with open(f"/proc/self/task/{task}/stat", encoding="utf-8") as words:
        return sum(map(int, words.read().rpartition(")")[2].split()[11:13]))


def helpers():
    """The threads that help, and whether they take signals."""
    found = {}
    for task in os.listdir("/proc/self/task"):
        place = f"/proc/self/task/{task}"
        with contextlib.suppress(OSError), open(f"{place}/comm", encoding="utf-8") as name, open(f"{place}/status", encoding="utf-8") as status:
            if name.read().strip() == "cl2cuda copies":
                blocked = next(line.split()[1] for line in status if line.startswith("SigBlk"))
                found[task] = not int(blocked, 16) >> (signal.SIGINT - 1) & 1
    return found


def test_threads_are_as_many_as_half_the_processors(monkeypatch):
    monkeypatch.setattr(staging.processors, "count", lambda: 2)
    assert staging.threads() == 1
