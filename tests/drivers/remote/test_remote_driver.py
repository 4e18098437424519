"""The remote driver's own parts: batches, errors that come later, order between streams and workers, staged transfers."""

import ctypes
import gc
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from support.devices import first
from support.fake_driver import FakeDevice, words
from support.kernel_facts import arg, kernel_info
from support.threads import ends

pytest.importorskip("msgpack", reason="the remote driver takes msgpack: pip install 'cl2cuda[cluster]'")

from cl2cuda.runtime import remote as remote_room
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.driver.image_formats import ORDERS, TYPES, ImageFormat
from cl2cuda.runtime.driver.image_layout import ImageLayout
from cl2cuda.runtime.driver.interface import CommandFailed, DriverError, DriverMissing, ImagePart, Linear
from cl2cuda.runtime.remote import stream as stream_file
from cl2cuda.runtime.remote.device import RemoteDevice
from cl2cuda.runtime.remote.fences import Fences
from cl2cuda.runtime.remote.service import Service
from cl2cuda.runtime.remote.session import Member, Session
from cl2cuda.runtime.remote.workers import RemoteDriver, patience
from cl2cuda.translator.options import BuildOptions

SIZE = 1 << 16


def served(*drivers):
    service = Service("127.0.0.1", [("fake", each) for each in drivers])
    session = Session(Member(service.place, "there"), 30)
    return [RemoteDevice(session, number, facts) for number, facts in enumerate(session.devices)]


@pytest.fixture(params=["host", "fake"])
def remote(request):
    """The host device's memory is the worker's own; the fake one's is behind transfers, and its streams are lazy."""
    return first("remote").driver_device if request.param == "host" else served(FakeDevice(global_memory=1 << 28, max_allocation=1 << 27))[0]


def host(size, value=0):
    memory = np.full(size, value, np.uint8)
    return memory, memory.ctypes.data


def contents(device, address, size, stream=None):
    memory, there = host(size)
    stream = stream or device.open_stream()
    stream.copy("device_to_host", there, address, size)
    stream.synchronize()
    return memory


def test_the_name_says_the_host(remote):
    assert served(FakeDevice())[0].properties.name == "fake on there"
    assert not remote.properties.unified_memory and not remote.properties.shared_memory


@pytest.mark.parametrize("size", [1, stream_file.INLINE, stream_file.INLINE + 1, (9 << 20) + 5])
def test_bytes_there_and_back(remote, size):
    stream, address = remote.open_stream(), remote.allocate(size)
    data = np.frombuffer(np.random.default_rng(1).bytes(size), np.uint8).copy()
    assert stream.copy("host_to_device", address, data.ctypes.data, size)
    sent, data[:] = data.copy(), 0  # which has been taken
    assert (contents(remote, address, size, stream) == sent).all()
    remote.free(address)


def test_rectangles(remote):
    stream, address = remote.open_stream(), remote.allocate(SIZE)
    source = np.arange(8 * 6 * 4, dtype=np.uint8).reshape(4, 6, 8)
    stream.fill(address, b"\xff", SIZE)
    stream.copy_rect("host_to_device", address + 3, (16, 256), source.ctypes.data, (8, 48), (5, 4, 3))
    stream.copy_rect("device_to_device", address + 4096, (32, 512), address + 3, (16, 256), (5, 4, 3))
    found = np.zeros((4, 6, 8), np.uint8)
    stream.copy_rect("device_to_host", found.ctypes.data, (8, 48), address + 4096, (32, 512), (5, 4, 3))
    stream.synchronize()
    expected = np.zeros_like(found)
    expected[:3, :4, :5] = source[:3, :4, :5]
    assert (found == expected).all()


@pytest.mark.parametrize("size", [8, 300])
def test_images(remote, size):
    layout = ImageLayout(2, ImageFormat(ORDERS["RGBA"], TYPES["UNORM_INT8"]), size, size)
    image, stream = remote.create_image(layout), remote.open_stream()
    data = np.random.default_rng(2).integers(0, 255, (size, size * 4), np.uint8)
    rows = Linear(data.ctypes.data, size * 4, size * size * 4)
    stream.copy_image("host_to_device", ImagePart(image, 0, (0, 0, 0)), rows, (size * 4, size, 1))
    stream.fill_image(ImagePart(image, 0, (4, 2, 0)), b"abcd", (8, 3, 1))
    found = np.zeros_like(data)
    stream.copy_image("device_to_host", rows._replace(address=found.ctypes.data), ImagePart(image, 0, (0, 0, 0)), (size * 4, size, 1))
    stream.synchronize()
    data[2:5, 4:12] = np.tile(np.frombuffer(b"abcd", np.uint8), 2)
    assert (found == data).all()
    assert image.argument(layout.format, True) == image.argument(layout.format, True)
    image.close()


def test_a_single_command_is_not_held_back(remote):
    stream, address = remote.open_stream(), remote.allocate(64)
    stream.fill(address, b"\1", 64)
    end = time.monotonic() + 10
    while stream._taken < 1 and time.monotonic() < end:
        time.sleep(0.001)
    assert stream._taken == 1 and not stream._batch


def test_commands_travel_in_batches(remote):
    stream, address = remote.open_stream(), remote.allocate(64)
    for number in range(5000):
        stream.fill(address, bytes([number % 256]), 64)
    stream.synchronize()
    assert stream._sent < 1000
    assert (contents(remote, address, 64, stream) == 4999 % 256).all()


def test_what_gathers_goes_without_being_asked_for(remote):
    """Commands that were held back go when the worker has taken those before, though nobody flushes."""
    stream, address = remote.open_stream(), remote.allocate(64)
    for _ in range(20):
        stream.fill(address, b"\1", 64)
    end = time.monotonic() + 10
    while stream._batch and time.monotonic() < end:
        time.sleep(0.001)
    assert not stream._batch


def test_values_are_those_of_the_launch(monkeypatch):
    """Parameters are read anew at each launch, with the place and alignment that they have here."""
    seen = []
    fake = FakeDevice()
    fake.bodies["k"] = lambda parameters, sizes: seen.append((words(parameters, 3), sizes.global_size)) or (lambda: None)
    device = served(fake)[0]
    info = kernel_info("k", arg("global", 8), arg("value", 8), arg("value", 8))
    function = device.load(b'["k"]').function(info)
    values = (ctypes.c_uint64 * 3)(1, 2, 3)
    pointers = (ctypes.c_void_p * 3)(*[ctypes.addressof(values) + 8 * index for index in range(3)])
    stream = device.open_stream()
    launch = function.prepare(stream, 1, (64, 1, 1), (32, 1, 1), (0, 0, 0), 0, ctypes.addressof(pointers))
    launch()
    values[1] = 20
    launch()
    stream.synchronize()
    assert seen == [([1, 2, 3], (64, 1, 1)), ([1, 20, 3], (64, 1, 1))]
    del launch
    stream.fill(device.allocate(64), b"\1", 64)
    stream.synchronize()
    assert not stream.dropped_plans


def test_what_fails_is_told_by_the_next_fence(remote):
    stream, address = remote.open_stream(), remote.allocate(64)
    good = stream.fence(False)
    stream.copy_image("device_to_device", Linear(address, 64, 64), Linear(address, 64, 64), (64, 1, 1))
    stream.add((99, "no command has this number"))
    bad, later = stream.fence(False), stream.fence(False)
    good.wait()
    with pytest.raises(CommandFailed, match="command 99") as caught:
        bad.wait()
    with pytest.raises(CommandFailed):
        bad.done()
    good.wait()
    stream.failure_noted(caught.value)
    later.wait()
    with pytest.raises(CommandFailed):
        bad.done()  # what a fence stands right behind it always says
    stream.fill(address, b"\5", 64)
    assert (contents(remote, address, 64, stream) == 5).all()


def test_a_failure_is_not_lost_to_a_fence_that_nobody_waits_for(remote):
    """The runtime makes fences for itself, and asks them without telling the program."""
    stream = remote.open_stream()
    stream.add((99, ""))
    inner, outer = stream.fence(False), stream.fence(False)
    stream.flush()
    end = time.monotonic() + 10
    while stream.fences.reached < 2 and time.monotonic() < end:
        time.sleep(0.001)
    with pytest.raises(CommandFailed):
        inner.done()
    for _ in range(2):
        with pytest.raises(CommandFailed, match="command 99"):
            outer.wait()
    with pytest.raises(CommandFailed, match="command 99") as caught:
        stream.synchronize()
    stream.failure_noted(caught.value)
    stream.synchronize()
    with pytest.raises(CommandFailed):
        inner.done()


def test_what_waits_for_a_failure_is_left_out(remote):
    one, other, address = remote.open_stream(), remote.open_stream(), remote.allocate(64)
    other.fill(address, b"\1", 64)
    one.add((99, ""))
    failed = one.fence(False)
    other.after(failed)
    other.fill(address, b"\2", 64)
    other.fill(address, b"\4", 64)  # of the same command
    other.end_command()
    with pytest.raises(CommandFailed, match="failed") as caught:
        other.synchronize()
    other.failure_noted(caught.value)
    assert (contents(remote, address, 64, other) == 1).all()
    other.fill(address, b"\3", 64)
    assert (contents(remote, address, 64, other) == 3).all()


def failed_fence(device):
    stream = device.open_stream()
    stream.add((99, ""))
    return stream.fence(False)


def test_a_thread_leaves_out_no_command_of_another(remote):
    stream, address = remote.open_stream(), remote.allocate(64)
    stream.fill(address, b"\1", 64)
    stream.after(failed_fence(remote))
    thread = threading.Thread(target=lambda: stream.fill(address, b"\2", 32))
    thread.start()
    thread.join()
    stream.fill(address, b"\3", 64)
    stream.end_command()
    stream.fill(address + 48, b"\4", 16)
    with pytest.raises(CommandFailed, match="failed") as caught:
        stream.synchronize()
    stream.failure_noted(caught.value)
    assert bytes(contents(remote, address, 64, stream)) == 32 * b"\2" + 16 * b"\1" + 16 * b"\4"


def test_nothing_is_told_of_a_command_that_was_not_given(remote):
    """Where an error comes between the waits of a command and the command."""
    stream, address = remote.open_stream(), remote.allocate(64)
    stream.after(failed_fence(remote))
    stream.end_command(given=False)
    assert not stream.conditional
    stream.fill(address, b"\2", 64)
    assert (contents(remote, address, 64, stream) == 2).all()


def test_contents_come_though_their_command_is_left_out(remote):
    stream, contents_at, result_at = remote.open_stream(), remote.allocate(64), remote.allocate(64)
    stream.fill(result_at, b"\1", 64)
    stream.after(failed_fence(remote))
    stream.begin_contents()
    stream.fill(contents_at, b"\2", 64)
    ready = stream.fence(False)
    stream.end_contents()
    stream.after(ready)
    stream.fill(result_at, b"\3", 64)
    stream.end_command()
    ready.wait()
    with pytest.raises(CommandFailed, match="failed") as caught:
        stream.synchronize()
    stream.failure_noted(caught.value)
    assert (contents(remote, contents_at, 64, stream) == 2).all() and (contents(remote, result_at, 64, stream) == 1).all()


def test_what_needs_contents_that_have_not_come_is_left_out_with_their_failure(remote):
    stream, address = remote.open_stream(), remote.allocate(64)
    stream.fill(address, b"\1", 64)
    stream.begin_contents()
    stream.add((99, ""))
    ready = stream.fence(False)
    stream.end_contents()
    for _ in range(2):  # commands
        stream.after(ready)
        stream.fill(address, b"\3", 32)
        stream.end_command()
    stream.fill(address + 32, b"\4", 32)
    with pytest.raises(CommandFailed, match="command 99") as caught:
        stream.synchronize()
    stream.failure_noted(caught.value)
    with pytest.raises(DriverError, match="command 99"):
        ready.wait()
    assert bytes(contents(remote, address, 64, stream)) == 32 * b"\1" + 32 * b"\4"


def test_a_wait_amid_a_command_tells_of_its_parts_and_of_those_before(remote):
    stream = remote.open_stream()
    stream.add((99, ""))
    stream.begin_contents()
    with pytest.raises(CommandFailed, match="command 99") as caught:
        stream.synchronize()
    stream.failure_noted(caught.value)
    stream.synchronize()
    stream.add((99, ""))
    with pytest.raises(DriverError, match="command 99") as caught:
        stream.synchronize()
    assert not isinstance(caught.value, CommandFailed)  # which would be of commands before
    stream.end_contents()
    stream.synchronize()


def test_a_payload_that_is_left_out_is_skipped(remote):
    one, other, address = remote.open_stream(), remote.open_stream(), remote.allocate(1 << 20)
    one.add((99, ""))
    other.fill(address, b"\1", 1 << 20)
    other.after(one.fence(False))
    data, _ = host(1 << 20, 7)
    for _ in range(2):
        other.copy("host_to_device", address, data.ctypes.data, 1 << 20)
    other.end_command()
    with pytest.raises(CommandFailed) as caught:
        other.synchronize()
    other.failure_noted(caught.value)
    assert (contents(remote, address, 1 << 20, other) == 1).all()


@pytest.mark.parametrize("same", [True, False], ids=["one worker", "two workers"])
def test_streams_wait_for_each_other(same):
    one = served(FakeDevice())[0]
    other = one if same else served(FakeDevice())[0]
    streams = one.open_stream(), other.open_stream()
    first_fence = streams[0].fence(True)
    streams[1].after(first_fence)
    second = streams[1].fence(True)
    second.wait()
    first_fence.wait()  # What the worker says of each stream comes by a connection of its own, this perhaps a moment later.
    assert first_fence.done() and first_fence.time_ns() <= second.time_ns() + 2_000_000
    assert abs(second.time_ns() - time.perf_counter_ns()) < 5_000_000_000


@pytest.mark.parametrize("push", [False, True], ids=["fetched", "put"])
@pytest.mark.parametrize("same", [True, False], ids=["one worker", "two workers"])
@pytest.mark.parametrize("staged", [False, True], ids=["direct", "staged"])
def test_contents_go_from_worker_to_worker(push, same, staged):
    fakes = [FakeDevice(global_memory=1 << 28) for _ in range(4)]
    hosts = [first("host").driver_device] * 2
    if same:
        one, other = served(*fakes[:2]) if staged else served(*hosts)
    else:
        one, other = [served(each)[0] for each in (fakes[2:] if staged else hosts)]
    size = (5 << 20) + 3
    source, target = one.allocate(size), other.allocate(size)
    data = np.frombuffer(np.random.default_rng(3).bytes(size), np.uint8).copy()
    filling = one.open_stream()
    filling.copy("host_to_device", source, data.ctypes.data, size)
    stream = (one if push else other).open_stream()
    stream.after(filling.fence(False))
    other.peer_copies.copy(stream, other, target, one, source, size)
    stream.synchronize()
    assert (contents(other, target, size) == data).all()
    other.peer_copies.copy_rect(stream, other, target, (7, 70), one, source + 1, (9, 90), (5, 4, 3))
    stream.synchronize()
    expected = data.copy()
    for plane in range(3):
        for row in range(4):
            expected[plane * 70 + row * 7 :][:5] = data[1 + plane * 90 + row * 9 :][:5]
    assert (contents(other, target, size) == expected).all()


def test_a_worker_that_cannot_be_reached_by_another():
    one, other = served(FakeDevice())[0], served(FakeDevice())[0]
    stream, address = other.open_stream(), other.allocate(64)
    one.session.member = one.session.member._replace(place=one.session.member.place._replace(port=1))
    other.peer_copies.copy(stream, other, address, one, address, 64)
    with pytest.raises(CommandFailed, match="cannot be exchanged") as caught:
        stream.synchronize()
    assert caught.value.status == "DEVICE_NOT_AVAILABLE"


def test_a_closed_stream_runs_to_its_end(remote):
    stream, address = remote.open_stream(), remote.allocate(64)
    for number in range(1000):
        stream.fill(address, bytes([number % 256]), 64)
    end = stream.fence(False)
    stream.close()
    end.wait()
    assert (contents(remote, address, 64) == 999 % 256).all()
    assert remote.session.lost is None


def test_programs_are_built_there_and_sent_once_to_each_worker():
    fakes = [FakeDevice(), FakeDevice()]
    one, other = (served(fake)[0] for fake in fakes)
    options = BuildOptions()
    assert one.compiler_identity(options) == other.compiler_identity(options) and one.target == other.target
    binary = b'["k"]'
    for device in (one, one, other):
        device.load(binary).unload()
        device.free(device.allocate(1))  # which comes after what has no reply
    assert [len(fake.modules) for fake in fakes] == [0, 0]


def test_no_cluster(monkeypatch):
    monkeypatch.setattr(remote_room, "_JOINED", [])
    with pytest.raises(DriverMissing, match="CL2CUDA_CLUSTER"):
        remote_room.driver()


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan"])
def test_a_timeout_that_is_none(monkeypatch, text):
    monkeypatch.setenv("CL2CUDA_CLUSTER_TIMEOUT", text)
    with pytest.raises(DriverMissing, match="number of seconds"):
        patience()


def test_a_member_that_is_not_there():
    place = Service("127.0.0.1", []).place
    with pytest.raises(DriverMissing, match="the worker on far"):
        RemoteDriver(lambda: [Member(place._replace(secret=b"x" * 32), "far")]).devices()


def test_the_platform_has_the_clusters_devices(monkeypatch):
    """In the place of the host device where nobody chooses, and asked for more than once."""
    place = Service("127.0.0.1", [("fake", FakeDevice()), ("fake", FakeDevice())]).place
    monkeypatch.setattr(remote_room, "_JOINED", [])
    monkeypatch.setattr(remote_room, "_DRIVERS", [])
    monkeypatch.setenv("CL2CUDA_DEVICE", "")
    remote_room.join(lambda: [Member(place, "node1")])
    for _ in range(2):
        found = [device for device in platforms.Platform().devices() if not device.is_cuda]
        assert [device.properties.name for device in found] == ["fake on node1"] * 2
    assert "remote" not in platforms.absences()
    monkeypatch.setenv("CL2CUDA_DEVICE", "remote")
    assert len(platforms.Platform().devices()) == 2
    assert [name for name, _ in platforms.own_devices() if name == "remote"] == []
    monkeypatch.setenv("CL2CUDA_DEVICE", "all")
    assert {"remote", "host"} <= {device.driver_name for device in platforms.Platform().devices()}
    remote_room.leave()
    assert "remote" not in {device.driver_name for device in platforms.Platform().devices()}


def test_a_write_that_fails_on_its_way_leaves_the_stream_whole():
    """The rest of its bytes is no command."""

    class Refusing(FakeDevice):
        def check(self, address, size):
            try:
                super().check(address, size)
            except AssertionError as error:
                raise DriverError("that is beyond the buffer") from error

    device = served(Refusing(global_memory=1 << 28, max_allocation=1 << 27))[0]
    stream, address = device.open_stream(), device.allocate(64)
    data, there = host(20 << 20, 7)
    stream.copy("host_to_device", address, there, data.nbytes)  # more than the buffer has, which the fake driver refuses
    with pytest.raises(CommandFailed) as caught:
        stream.synchronize()
    stream.failure_noted(caught.value)
    stream.fill(address, b"\5", 64)
    assert (contents(device, address, 64, stream) == 5).all()


def searched_in(turn, call):
    """Makes the call in a destructor that Python's search for garbage calls while this very thread has the turn."""
    found = []

    class Cyclic:
        def __init__(self):
            self.itself = self

        def __del__(self):
            found.append(call())

    def search():
        Cyclic()
        with turn:
            gc.collect()

    gc.disable()  # which would find it sooner
    try:
        assert ends(search)
    finally:
        gc.enable()
    return found[0]


def test_a_destructor_waits_for_no_turn_of_its_own_thread(remote):
    """Of the stream's queue, which the search finds while the thread sends what had gathered, say. Its fence stands behind all that was given."""
    stream, address = remote.open_stream(), remote.allocate(64)
    stream.fill(address, b"\1", 64)
    fence = searched_in(stream._turn, lambda: stream.fence(False))
    searched_in(stream._turn, lambda: stream.has_reached(fence.number))
    searched_in(stream._turn, stream.close)
    assert is_reached(fence) and stream._closed and (contents(remote, address, 64) == 1).all()


def is_reached(fence):
    return ends(fence.wait) and fence.done()


def test_a_fence_that_is_noted_can_be_waited_for_by_other_streams(remote):
    stream, other = remote.open_stream(), remote.open_stream()
    fence = stream_file.RemoteFence(stream, stream_file.NOT_YET)
    stream._turn._noted.append(lambda: stream._add_fence(fence, False, False))  # by a thread that has not made it yet
    other.after(fence)
    stream.after(fence)
    assert is_reached(other.fence(False)) and is_reached(stream.fence(False))


def test_a_worker_that_a_destructor_finds_lost_meanwhile(remote):
    session = Session(remote.session.member, 30)
    searched_in(session._lock, lambda: session.lose(EOFError()))
    assert session.lost is not None


@pytest.mark.parametrize("at", ["lost", "failures"])
def test_a_fence_that_is_reached_while_it_is_asked_tells_what_failed(at):
    """Between the look at what has failed and the one at how far the stream has come."""
    failure, fences = CommandFailed("it fails", "OUT_OF_RESOURCES"), Fences(lambda: None)
    meetings = [lambda: fences.reach(1, failure, True)]

    def meet():
        while meetings:
            meetings.pop()()

    class Failures(dict):
        def get(self, number):
            found = super().get(number)
            meet()
            return found

    if at == "failures":
        fences._failures = Failures()
    else:
        fences._lost = meet
    stream = SimpleNamespace(fences=fences, _flush_to=lambda number: None)
    assert not stream_file.RemoteStream.has_reached(stream, 1)
    with pytest.raises(CommandFailed):
        stream_file.RemoteStream.has_reached(stream, 1)
