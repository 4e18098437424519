"""Memory that passes from one buffer or image to the next in the order of a context's only queue."""

import collections
import gc
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from support.fails import fails, read
from support.fake_driver import FakeDevice
from support.image_model import Format
from support.image_objects import Images
from support.threads import run_together

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_read_buffer
from cl2cuda.runtime.commands.image import enqueue_fill_image, enqueue_read_image
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context import reclaim, stream_ordered_memory
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.context.stream_ordered_memory import StreamOrderedMemory
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import FILLED_IN_ORDER, Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes

SIZE = 1024


def used(fake, letter=b"a", flags=0, size=SIZE):
    """A buffer whose fill has not run yet."""
    buffer = Buffer(fake.context, flags, size)
    enqueue_fill_buffer(fake.queue, buffer, letter, 0, size)
    return buffer


def test_memory_in_use_passes_on_in_order(fake):
    first = used(fake)
    address = first.address
    first.release()
    fake.context.reclaim()
    second = used(fake, b"b")
    assert second.address == address and len(fake.queue.stream.commands) == 2
    assert read(fake, second) == b"b" * SIZE


def test_large_memory_passes_on_at_once_and_little_together(fake):
    large = used(fake, size=reclaim.LITTLE + 1)
    address = large.address
    large.release()
    assert used(fake, size=reclaim.LITTLE + 1).address == address
    for size, most in ((SIZE, reclaim.PIECES), (reclaim.LITTLE, reclaim.WAITING // reclaim.LITTLE)):
        addresses = set()
        for _ in range(4 * reclaim.PIECES):
            buffer = used(fake, size=size)
            addresses.add(buffer.address)
            buffer.release()
        assert len(addresses) <= most + 1


def test_of_its_size_only(fake):
    used(fake).release()
    assert len({used(fake, size=SIZE).address, used(fake, size=SIZE + 1).address} & set(fake.driver.memory)) == 2


def test_of_about_its_size_where_the_driver_rounds_sizes(fake, monkeypatch):
    monkeypatch.setattr(fake.driver, "rounds_sizes", True)
    kept = StreamOrderedMemory(fake.device)
    kept.keep(collections.deque([stream_ordered_memory.Block(fake.device, 7, kept.block_size(SIZE - 5))]))
    assert kept.bytes == SIZE and not kept.take(SIZE + 1) and not kept.take(SIZE // 2)
    assert kept.take(SIZE - 200) == 7 and not kept.bytes


def test_memory_that_no_command_uses(fake):
    """None of a context with an only queue that is not idle, also where that comes just then."""
    kept = StreamOrderedMemory(fake.device)
    block = stream_ordered_memory.Block(fake.device, 7, SIZE)

    class Beginning(list):
        def pop(self, *place):
            address = super().pop(*place)
            kept.begin(queue)
            return address

    kept.keep(collections.deque([block]))
    assert kept.take(SIZE, unused=True) == 7
    queue = OnlyQueue()
    kept.free, kept.bytes = {SIZE: Beginning([7])}, SIZE
    assert not kept.take(SIZE, unused=True) and kept.free == {SIZE: [7]} and kept.bytes == SIZE
    assert not kept.take(SIZE, unused=True) and kept.queue() is queue
    queue.idle = True
    assert kept.take(SIZE, unused=True) == 7 and not kept.bytes


@pytest.mark.parametrize("flags", [codes.MEM_USE_HOST_PTR, codes.MEM_COPY_HOST_PTR])
def test_large_contents_have_memory_of_an_only_queue_that_is_idle(fake, flags):
    """Which the driver would take longer to give and to take back."""
    size, device, taken = FILLED_IN_ORDER + 1, fake.driver, []
    genuine = device.allocate
    device.allocate = lambda bytes_: taken.append(genuine(bytes_)) or taken[-1]
    for turn in range(6):
        contents = bytearray([turn] * size)
        buffer = Buffer(fake.context, flags, size, contents)
        assert read(fake, buffer) == contents
        enqueue_fill_buffer(fake.queue, buffer, b"x", 0, size)
        buffer.release()
        del buffer
        fake.queue.finish()
    assert len(taken) <= 2


@pytest.mark.parametrize("flags", [codes.MEM_USE_HOST_PTR, codes.MEM_COPY_HOST_PTR])
def test_what_the_host_fills_gets_memory_that_nobody_uses(fake, flags):
    used(fake).release()
    contents = bytearray(b"h" * SIZE)
    buffer = Buffer(fake.context, flags, SIZE, contents)
    fake.queue.finish()
    assert read(fake, buffer) == contents


def test_small_contents_go_in_the_order_of_the_only_queue(fake):
    """Nothing is waited for: a copy into the new buffer stands behind the commands that use its memory's last owner."""
    owner = used(fake)
    address = owner.address
    owner.release()
    fake.context.reclaim()
    contents = bytearray(b"c" * SIZE)
    heir = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, SIZE, contents)
    assert heir.address == address and not fake.device.service_stream.commands
    contents[:] = b"x" * SIZE  # the application's again
    assert read(fake, heir) == b"c" * SIZE


@pytest.mark.parametrize("many", [False, True])
def test_contents_are_there_for_a_queue_that_comes_later(fake, many):
    buffer = Buffer(fake.context, codes.MEM_COPY_HOST_PTR, SIZE, bytearray(b"c" * SIZE))
    other = create_command_queue(fake.context, fake.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE if many else 0)
    found = bytearray(SIZE)
    enqueue_read_buffer(other, buffer, True, 0, found)
    assert found == b"c" * SIZE


@pytest.mark.parametrize("why", ["another queue", "a profiling queue", "a command that waits", "size"])
def test_contents_that_go_by_themselves(fake, why):
    queue, size = fake.queue, SIZE
    if why == "another queue":
        other = create_command_queue(fake.context, fake.device)
        assert other.context is fake.context
    elif why == "a profiling queue":
        context = Context([fake.device])
        queue = create_command_queue(context, fake.device, codes.QUEUE_PROFILING_ENABLE)
    elif why == "a command that waits":
        enqueue_fill_buffer(queue, Buffer(fake.context, 0, SIZE), b"a", 0, SIZE, [UserEvent(fake.context)])
    else:
        size = FILLED_IN_ORDER + 1
    position = queue.timeline.next_position()
    buffer = Buffer(queue.context, codes.MEM_COPY_HOST_PTR, size, bytearray(b"c" * size))
    assert queue.timeline.next_position() == position + 1, "no command in between"
    if why != "a command that waits":
        found = bytearray(size)
        enqueue_read_buffer(queue, buffer, True, 0, found)
        assert found == b"c" * size


def test_another_queue_comes_after_what_was_before(fake):
    used(fake).release()
    heir = Buffer(fake.context, 0, SIZE)
    other = create_command_queue(fake.context, fake.device)
    enqueue_fill_buffer(other, heir, b"b", 0, SIZE)
    other.finish()
    fake.queue.finish()
    assert read(fake, heir) == b"b" * SIZE


def test_an_out_of_order_queue_does_too(fake):
    used(fake).release()
    heir = Buffer(fake.context, 0, SIZE)
    other = create_command_queue(fake.context, fake.device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    enqueue_fill_buffer(other, heir, b"b", 0, SIZE)
    other.finish()
    fake.queue.finish()
    assert read(fake, heir) == b"b" * SIZE


def test_with_two_queues_memory_in_use_stays(fake):
    other = create_command_queue(fake.context, fake.device)
    used(fake).release()
    heir = Buffer(fake.context, 0, SIZE)
    assert heir.address and len(fake.driver.memory) == 2
    enqueue_fill_buffer(other, heir, b"b", 0, SIZE)
    other.finish()
    fake.queue.finish()
    assert read(fake, heir) == b"b" * SIZE


def test_the_queue_after_a_queue_that_has_gone(fake):
    first = used(fake)
    address = first.address
    first.release()
    fake.context.reclaim()
    heir = Buffer(fake.context, 0, SIZE)
    assert heir.address == address
    stream = fake.queue.stream
    fake.queue.release()
    fake.queue = create_command_queue(fake.context, fake.device)
    enqueue_fill_buffer(fake.queue, heir, b"b", 0, SIZE)
    fake.queue.finish()
    assert not stream.commands
    assert read(fake, heir) == b"b" * SIZE


def test_commands_that_are_held_back_keep_their_memory(fake):
    gate = UserEvent(fake.context)
    buffer = Buffer(fake.context, 0, SIZE)
    address = buffer.address
    enqueue_fill_buffer(fake.queue, buffer, b"a", 0, SIZE, (gate,))
    buffer.release()
    assert Buffer(fake.context, 0, SIZE).address != address
    gate.set_status(codes.COMPLETE)
    fake.queue.finish()


def test_little_is_kept_and_nothing_when_memory_is_short(memory_at_once):
    driver = FakeDevice(global_memory=stream_ordered_memory.MOST_BYTES + 2 * stream_ordered_memory.LARGEST, max_allocation=stream_ordered_memory.LARGEST + 1)
    device = Device(None, "fake", driver)
    context = Context([device])
    queue = create_command_queue(context, device)
    Buffer(context, 0, stream_ordered_memory.LARGEST + 1).release()
    assert not driver.memory
    count = stream_ordered_memory.MOST_BYTES // stream_ordered_memory.LARGEST
    for buffer in [Buffer(context, 0, stream_ordered_memory.LARGEST) for _ in range(count + 2)]:
        buffer.release()
    assert len(driver.memory) == count
    kept = [Buffer(context, 0, stream_ordered_memory.LARGEST - 1) for _ in range(count + 2)]
    fails("MEM_OBJECT_ALLOCATION_FAILURE", Buffer, context, 0, stream_ordered_memory.LARGEST)
    del kept
    queue.finish()


def test_a_context_that_goes_leaves_no_memory_behind(fake):
    """Its buffers may go together with it, when nobody asks it to free anything any more."""
    context = Context([fake.device])
    queue = create_command_queue(context, fake.device)
    resting, last = Buffer(context, 0, SIZE), Buffer(context, 0, 2 * SIZE)
    assert resting.address
    enqueue_fill_buffer(queue, last, b"a", 0, SIZE)
    resting.release()
    assert len(fake.driver.memory) == 2
    del resting, last, queue, context
    gc.collect()
    fake.context.reclaim_all()
    assert not fake.driver.memory


SLOW = """
__kernel void slow(__global uint *x, uint turns) {
    uint y = get_global_id(0);
    for (uint i = 0; i < turns; i++) y = y * 1664525u + 1013904223u;
    x[get_global_id(0)] = y | 1u;
}
"""


def test_results_are_right_on_devices(real_device):
    """A slow kernel still writes to what the next buffer has by then."""
    context = Context([real_device])
    queue = create_command_queue(context, real_device)
    program = Program(context, SLOW)
    program.build()
    kernel, n = Kernel(program, "slow"), 1 << 10

    def slow(buffer):
        kernel.set_arg(0, buffer)
        kernel.set_arg(1, np.uint32(1 << 17))
        enqueue_nd_range_kernel(queue, kernel, 1, None, (n,), (64,))

    for other_flags in (None, 0, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE):
        first = Buffer(context, 0, 4 * n)
        slow(first)
        first.release()
        heir = Buffer(context, 0, 4 * n)
        other = queue if other_flags is None else create_command_queue(context, real_device, other_flags)
        enqueue_fill_buffer(other, heir, bytes(4), 0, 4 * n)
        other.finish()
        queue.finish()
        found = np.empty(n, np.uint32)
        enqueue_read_buffer(other, heir, True, 0, found)
        assert not found.any()


def test_threads_that_share_a_queue(real_device):
    """Each thread's buffers get memory that others have just used."""
    context = Context([real_device])
    queue = create_command_queue(context, real_device)
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for turn in range(60):
            n = int(random.choice([1 << 10, 1 << 16, 1 << 20]))
            value, buffer = int(random.integers(1 << 32)), Buffer(context, 0, 4 * n)
            enqueue_fill_buffer(queue, buffer, value.to_bytes(4, "little"), 0, 4 * n)
            found = np.zeros(n, np.uint32)
            event = enqueue_read_buffer(queue, buffer, turn % 2 == 0, 0, found)
            buffer.release()
            event.wait()
            if (found != value).any():
                wrong.append((seed, turn))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_few_sizes_are_known(fake, monkeypatch):
    """What is kept of the oldest goes back."""
    monkeypatch.setattr(stream_ordered_memory, "SIZES", 8)
    reusable = fake.context._reusable
    for size in range(1, 100):
        used(fake, size=size).release()
        fake.queue.finish()
        assert used(fake, size=size).address
        fake.queue.finish()
        fake.context.reclaim()
        assert len(reusable.free) <= 8 and len(fake.driver.memory) <= 10
    assert reusable.bytes == sum(size * len(addresses) for size, addresses in reusable.free.items())


def test_what_code_in_c_takes_meanwhile_is_counted(fake):
    """On a thread that has its turn while the size that came first goes."""
    memory = stream_ordered_memory.StreamOrderedMemory(fake.device)

    class Kept(list):
        def __len__(self):
            memory.bytes -= 16
            return super().__len__()

    memory.free, memory.bytes = {8: Kept([7])}, 8 + 16
    assert [block.address for block in memory._forget_a_size()] == [7] and memory.bytes == 0


def test_many_blocks_of_one_size_are_kept_as_one_after_the_other_would_be(fake, monkeypatch):
    """Up to what a context keeps, of one size and of all; the rest is to be freed, as is what is no block of the device's."""
    other = Device(fake.device.platform, "fake", FakeDevice())

    def blocks(count, size=8, device=fake.device):
        return [stream_ordered_memory.Block(device, 1000 * size + number, size) for number in range(count)]

    def kept(frees, limits, alike):
        memory = stream_ordered_memory.StreamOrderedMemory(fake.device)
        memory.free = {8: [7]}
        memory.bytes = 8
        if not alike:
            monkeypatch.setattr(stream_ordered_memory, "_are_alike", lambda frees: False)
        left = collections.deque(frees)
        memory._take_over(left, *limits)
        monkeypatch.undo()
        return memory.free, memory.bytes, list(left)

    def last():
        pass

    cases = [blocks(0), blocks(1), blocks(5), blocks(50), blocks(3) + blocks(3, 16), blocks(5, 16), [*blocks(3), last], [last, *blocks(3)],
             blocks(4, device=other), blocks(2) + blocks(2, device=other), blocks(4, 64), blocks(3, 40 << 20)]
    for frees in cases:
        for limits in ((32, 4, 1 << 30), (32, 4, 16), (1 << 30, 100, 1 << 30), (4, 4, 1 << 30)):
            assert kept(frees, limits, True) == kept(frees, limits, False)


# Images

ORIGIN, REGION = (0, 0, 0), (13, 6, 1)


@pytest.fixture
def images(fake):
    """Of a context with one queue, on the fake's device."""
    return Images(fake.device)


def filled_image(images, number, **how):
    """An image whose fill has not run yet."""
    image = images.create(**how)
    enqueue_fill_image(images.queue, image, np.full(4, number / 255, np.float32).tobytes(), ORIGIN, (*REGION[:2], max(1, image.depth)))
    return image


def elements(images, image, queue=None):
    found = np.zeros((6, 13, 4), np.uint8)
    enqueue_read_image(queue or images.queue, image, True, ORIGIN, REGION, 0, 0, found)
    return set(found.ravel().tolist())


def test_an_image_in_use_passes_on_in_order(fake, images):
    first = filled_image(images, 3)
    memory = first.elements.memory
    first.release()
    del first
    before = len(images.queue.stream.commands)
    second = filled_image(images, 7)
    assert second.elements.memory is memory and len(images.queue.stream.commands) == 2 * before > 0
    assert elements(images, second) == {7} and len(fake.driver.memory) == 1


def test_first_contents_come_after_what_the_image_had_before(fake, images):
    first = filled_image(images, 3)
    memory = first.elements.memory
    first.release()
    del first
    host, before = np.full((6, 13, 4), 9, np.uint8), len(images.queue.stream.commands)
    second = images.create(flags=codes.MEM_COPY_HOST_PTR, host=host)
    host[:] = 0
    assert second.elements.have_memory() is memory and len(images.queue.stream.commands) == before + 1
    assert elements(images, second) == {9}


def test_threads_that_use_an_image_first_find_its_contents(fake, images):
    """One of them brings them; that another has just done so, the next one may see at any time."""
    host = np.full((6, 13, 4), 9, np.uint8)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(60):
            image = images.create(flags=codes.MEM_COPY_HOST_PTR, host=host)
            run_together(image.elements.have_memory, *[()] * 4)
            assert elements(images, image) == {9}
            image.release()
    finally:
        sys.setswitchinterval(interval)


def test_an_image_passes_on_to_one_of_its_layout(fake, images):
    filled_image(images, 3).release()
    others = [images.create(shape=(6, 14)), images.create(format=Format("BGRA", "UNORM_INT8")), images.create(image_type=codes.MEM_OBJECT_IMAGE3D)]
    for each in others:
        each.elements.have_memory()
    assert len({id(each.elements.memory) for each in others}) == 3 and len(fake.driver.memory) == 4
    for each in [filled_image(images, 3) for _ in range(20)]:
        each.release()
    del each
    images.queue.finish()
    assert len(fake.driver.memory) == 23
    images.context.reclaim_all()
    assert len(fake.driver.memory) == 3


def test_so_many_bytes_and_layouts_rest(fake, images, monkeypatch):
    size = images.create().size
    monkeypatch.setattr(stream_ordered_memory, "LAYOUT_BYTES", 3 * size)
    monkeypatch.setattr(stream_ordered_memory, "LAYOUTS", 2)
    for each in [filled_image(images, 3) for _ in range(5)]:
        each.release()
    del each
    images.queue.finish()
    assert len(fake.driver.memory) == 3
    for width in (5, 6):
        image = images.create(shape=(2, width))
        image.elements.have_memory()
        image.release()
        del image
    images.queue.finish()
    assert len(fake.driver.memory) == 4


def test_another_queue_comes_after_the_images(fake, images):
    filled_image(images, 3).release()
    heir = images.create()
    heir.elements.have_memory()
    other = create_command_queue(images.context, fake.device)
    enqueue_fill_image(other, heir, np.full(4, 5 / 255, np.float32).tobytes(), ORIGIN, REGION)
    other.finish()
    images.queue.finish()
    assert elements(images, heir) == {5}
    filled_image(images, 4).release()
    assert images.create().elements.have_memory() is not heir.elements.memory
    images.queue.finish(), other.finish()
    images.context.reclaim_all()
    assert len(fake.driver.memory) == 1


def test_images_of_commands_that_are_held_back_stay(fake, images):
    gate = UserEvent(images.context)
    image = images.create()
    memory = image.elements.have_memory()
    enqueue_fill_image(images.queue, image, bytes(16), ORIGIN, REGION, [gate])
    image.release()
    del image
    gc.collect()
    assert images.create().elements.have_memory() is not memory
    gate.set_status(codes.COMPLETE)
    images.queue.finish()


def test_a_context_that_goes_leaves_no_images_behind(fake):
    images = Images(fake.device)
    resting, last = filled_image(images, 1), filled_image(images, 2)
    resting.release()
    assert len(fake.driver.memory) == 2
    del resting, last, images
    gc.collect()
    fake.context.reclaim_all()
    assert not fake.driver.memory


class OnlyQueue:
    keeps_order, closed, idle, device = True, False, False, SimpleNamespace(host_addressable=False)

    def __init__(self, meddle=lambda: None):
        self.meddle = meddle

    @property
    def has_deferred(self):
        self.meddle()
        return False


class Emptied(dict):
    """Of which another thread empties the place between a look and what comes of it."""

    def __init__(self, meddle):
        self.meddle, self["layout"] = meddle, Resting(lambda: None)

    def get(self, layout):
        found = dict.get(self, layout)
        self.meddle()
        return found


class Resting(list):
    def __init__(self, meddle):
        self.meddle = meddle

    def append(self, kept):
        list.append(self, kept)
        self.meddle()


@pytest.mark.parametrize("where", ["before", "after the look", "after it was added"])
def test_an_image_that_passes_on_while_the_place_is_emptied_is_in_one_place(fake, where):
    """Kept here, handed out by those who empty it, or left to who gives it."""
    back, image = [], object()

    def empty():
        if where == "before":
            back.extend(kept.end()[1])
        else:
            back.extend(kept.empty())

    kept = StreamOrderedMemory(fake.device)
    queue = OnlyQueue(empty if where == "before" else lambda: None)
    kept.begin(queue)
    if where == "after the look":
        kept._images = Emptied(empty)
    elif where == "after it was added":
        kept._images["layout"] = Resting(empty)
    is_kept = kept.pass_on("layout", image, 1)
    assert (is_kept, len(back)) == ((True, 1) if where == "after it was added" else (False, 0))
    assert kept.take_image("layout", queue) is None and not kept.empty()


def test_threads_that_pass_images_on_while_queues_come(fake):
    """Each is in one place: here, with a thread that has taken it, or on its way back to the device."""
    queue = OnlyQueue()
    kept = StreamOrderedMemory(fake.device)
    kept.begin(queue)
    all_images = [object() for _ in range(40)]
    at_hand = collections.deque(all_images)
    interval = sys.getswitchinterval()

    def work():
        for _ in range(3000):
            image = kept.take_image("layout", queue) or (at_hand.popleft() if at_hand else None)
            if image is not None and not kept.pass_on("layout", image, 1):
                at_hand.append(image)

    def end():
        for _ in range(300):
            at_hand.extend(block._image for block in kept.end()[1])
            kept.begin(queue)
            with kept.refused():
                at_hand.extend(block._image for block in kept.empty())

    sys.setswitchinterval(1e-6)
    try:
        run_together(lambda each: each(), *((each,) for each in (work, work, work, end)))
    finally:
        sys.setswitchinterval(interval)
    kept.close()
    at_hand.extend(block._image for block in kept.empty())
    assert sorted(map(id, at_hand)) == sorted(map(id, all_images))
