"""The turns of launches that share a module's `ocl::launch`, over an imagined CUDA whose calls are noted. NVRTC is real."""

import ctypes
import gc
import threading

import pytest
from support.cuda_text import INFO, SAXPY, CudaText
from support.fake_cuda import FakeCuda

from cl2cuda.runtime.cuda import nvrtc, turns
from cl2cuda.runtime.cuda.capture import Capture
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.external import ExternalSemaphore
from cl2cuda.runtime.cuda.launch import LaunchRecord
from cl2cuda.runtime.cuda.stream import SLOTS
from cl2cuda.runtime.cuda.turns import Turns
from cl2cuda.runtime.driver.device import NativeLaunch
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.native import build as native_build
from cl2cuda.translator.options import BuildOptions

try:
    nvrtc.nvrtc()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)



@pytest.fixture
def noted(monkeypatch):
    """What the streams were given: ("record", stream), ("wait", stream, the stream of the event), ("write", stream)."""
    found, recorded = [], {}
    cuda = CudaDevice(FakeCuda(), 0)
    runtime = cuda.cuda.runtime
    record, copy = runtime.eventRecord, runtime.memcpyAsync

    def note_record(event, stream):
        recorded[event] = stream
        found.append(("record", stream))
        record(event, stream)

    def note_copy(*words):
        found.append(("write", words[-1]))
        copy(*words)

    monkeypatch.setattr(runtime, "eventRecord", note_record)
    monkeypatch.setattr(runtime, "memcpyAsync", note_copy)
    monkeypatch.setattr(runtime, "streamWaitEvent", lambda stream, event: found.append(("wait", stream, recorded[event])))
    cuda.found = found
    return cuda


@pytest.fixture
def function(noted):
    binary = noted.compile(CudaText(SAXPY, (INFO,)), BuildOptions())
    return noted.load(binary).function(INFO)


def two_streams(device):
    """That share a slot, and so a variant."""
    first, *_, second = [device.open_stream() for _ in range(SLOTS + 1)]
    assert first.slot == second.slot
    return first, second


def prepared(function, stream, *offsets):
    return [function.prepare(stream, 1, (64, 1, 1), (64, 1, 1), (offset, 0, 0), 0, 4242) for offset in offsets]


def taken(device):
    found = list(device.found)
    device.found.clear()
    return found


def test_in_one_stream_launches_need_no_events(noted, function):
    stream = noted.open_stream()
    one, two = prepared(function, stream, 5, 7)
    for run in (one, one, two, two, one):
        run()
    assert taken(noted) == [("write", stream.handle)] * 3


def test_another_stream_comes_after_the_turn_before(noted, function):
    first, second = two_streams(noted)
    (here,), (there,) = prepared(function, first, 5), prepared(function, second, 5)
    here(), here(), there(), there(), here()
    a, b = first.handle, second.handle
    assert taken(noted) == [("write", a), ("record", a), ("wait", b, a), ("record", b), ("wait", a, b)]


def test_a_stream_that_is_closed_ends_its_turn(noted, function):
    first, second = two_streams(noted)
    (here,), (there,) = prepared(function, first, 5), prepared(function, second, 5)
    here()
    a, b = first.handle, second.handle
    first.close()
    there(), there()
    assert taken(noted) == [("write", a), ("record", a), ("wait", b, a)]
    second.close()
    assert taken(noted) == [("record", b)] and not second.turns


def test_who_waits_for_another_api_lets_others_go_on(noted, function):
    """The signal may come when another stream has had its turn."""
    first, second = two_streams(noted)
    (here,), (there,) = prepared(function, first, 5), prepared(function, second, 5)
    here()

    class Calls:
        def wait(self, semaphore, parameters, count, stream):
            noted.found.append(("semaphore", stream))

        def check(self, status):
            assert not status

    semaphore = object.__new__(ExternalSemaphore)
    semaphore._context, semaphore._calls, semaphore._semaphore = noted.context, Calls(), ctypes.c_void_p()
    semaphore.wait(first)
    there()
    a, b = first.handle, second.handle
    assert taken(noted) == [("write", a), ("record", a), ("semaphore", a), ("wait", b, a)]


def test_a_graph_has_turns_when_it_is_launched(noted, function):
    first, second = two_streams(noted)
    (here,), (there,) = prepared(function, first, 5), prepared(function, second, 5)
    first.capture = Capture(noted.allocate, noted.free)
    here()
    (variant,), first.capture = first.capture.serial, None
    taken(noted)
    there()
    variant.come_after_last_use(first)
    variant.note_use(first)
    here(), there()
    a, b = first.handle, second.handle
    assert taken(noted) == [("write", b), ("record", b), ("wait", a, b), ("write", a), ("record", a), ("wait", b, a)]


def test_native_code_is_given_the_turn_and_the_record(noted, function):
    first, second = two_streams(noted)
    given = 1, (1024, 1, 1), (64, 1, 1), (5, 0, 0), 96, 4242
    assert function.native_launch(first, *given) is None  # The imagined CUDA is no library.
    noted.cuda.launch_addresses = (1001, 1002, 1003)
    function.prepare(first, *given)()
    symbol, arguments, record = noted.cuda.driver.launches[-1]
    found = function.native_launch(first, *given)
    *words, shared, place = found.words
    assert found == NativeLaunch("recorded grid", 1001, found.words, 1002, noted.cuda.driver.ctxGetCurrent(), record=record)
    assert noted.cuda.driver.symbols[words[0]] == symbol and tuple(words[1:]) == arguments and place == noted.cuda.driver.record
    known = turns._Shared.from_address(shared)
    assert known.stream == first.handle and known.is_known and bytes(known.written) == record
    known.written.offset[0] = 7  # as native code writes
    prepared(function, first, 7)[0]()
    assert known.is_known and function.native_launch(second, *given).words[-2:] == (shared, place)
    function.prepare(second, *given)()
    assert known.stream == second.handle
    second.close()
    assert not known.stream


def test_kernels_that_look_at_no_record_are_plain_grids(noted, function):
    stream = noted.open_stream()
    noted.cuda.launch_addresses = (1001, 1002, 1003)
    variant = function.module.general(stream.slot)
    variant.__dict__["record"] = 0
    found = function.native_launch(stream, 1, (1024, 1, 1), (64, 1, 1), (5, 0, 0), 0, 4242)
    assert (found.kind, found.words[1:], found.record) == ("grid", (16, 1, 1, 64, 1, 1, 0, stream.handle, 4242, 0), b"")


def test_native_code_makes_no_launch_in_pieces(noted, function):
    stream = noted.open_stream()
    noted.cuda.launch_addresses = (1001, 1002, 1003)
    assert function.native_launch(stream, 1, (1000, 1, 1), (64, 1, 1), (5, 0, 0), 0, 4242) is None  # a smaller last work-group
    borrowed = noted.borrow_stream(1)
    assert function.native_launch(borrowed, 1, (1024, 1, 1), (64, 1, 1), (5, 0, 0), 0, 4242) is None


def test_a_system_without_mutexes_has_no_such_native_launches(noted, function, monkeypatch):
    stream = noted.open_stream()
    noted.cuda.launch_addresses = (1001, 1002, 1003)
    monkeypatch.setattr(turns, "_mutex", lambda: None)
    assert function.native_launch(stream, 1, (1024, 1, 1), (64, 1, 1), (5, 0, 0), 0, 4242) is None
    prepared(function, stream, 5)[0]()


def test_threads_take_turns_with_native_code():
    """Python waits for the mutex while others run, and native code for Python's turn."""
    shared = Turns()
    address = shared.open_to_native_code()
    assert address and shared.open_to_native_code() == address
    mutex, order = turns._mutex(), []
    mutex.lock(address)

    def take():
        with shared:
            order.append("python")
            with shared:  # as where garbage is found meanwhile
                pass
            order.append("python")

    thread = threading.Thread(target=take)
    thread.start()
    thread.join(0.05)
    order.append("native")
    mutex.unlock(address)
    thread.join()
    assert order == ["native", "python", "python"]
    mutex.lock(address)  # It is free again.
    mutex.unlock(address)


def test_modules_that_go_leave_nothing_with_the_stream(noted):
    stream = noted.open_stream()
    function = noted.load(noted.compile(CudaText(SAXPY, (INFO,)), BuildOptions())).function(INFO)
    prepared(function, stream, 5)[0]()
    assert len(stream.turns) == 1
    function.module.unload()
    del function
    gc.collect()
    assert not stream.turns
    stream.close()


def test_the_words_are_those_of_native_code(tmp_path):
    """struct turn of runtime/native/turn.h."""
    from support import c_library

    source = (f'#include <stddef.h>\n#include "{native_build.HERE / "turn.h"}"\n'
              "int sizes[] = { sizeof(struct turn), offsetof(struct turn, stream), offsetof(struct turn, is_known), offsetof(struct turn, written),\n"
              "                sizeof(pthread_mutex_t) <= sizeof ((struct turn *)0)->lock.room, sizeof(uint64_t[RECORD_WORDS]) };\n")
    found = (ctypes.c_int * 6).in_dll(c_library.load(source, tmp_path), "sizes")
    shared = turns._Shared
    assert list(found) == [ctypes.sizeof(shared), shared.stream.offset, shared.is_known.offset, shared.written.offset, 1, ctypes.sizeof(LaunchRecord)]
