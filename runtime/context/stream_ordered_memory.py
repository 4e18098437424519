"""Device memory that passes from one buffer or image to the next, in a context of one device, without a detour by the driver.

Where all commands of a context come through one in-order queue, commands may still use it: whatever is done with a new buffer comes after
all that was done with the one that had its memory before, so nothing needs to be asked, nor waited for. That ends with the context's next
queue, which comes after what the first one was given until then; from then on memory is kept that no command uses any more.
"""

from __future__ import annotations

import collections
import contextlib
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import TypeGuard

from ..devices.device import Device
from ..driver.block_size import rounded
from ..driver.interface import DriverImage
from ..native import library as native
from ..process import debug_mode
from .queues import Queue

# What one context keeps for its next buffers: what is more, or larger, goes back to the device's own store of memory.
MOST_BYTES = 64 << 20
LARGEST = 16 << 20
# A piece of little memory has at most so many bytes.
LITTLE = 1 << 20
# Of memory that no command uses, which the device keeps by itself, too, only little pieces are kept here, and so many pieces and bytes of a
# size: who asks the device does not find these.
PIECES, PIECES_BYTES = 64, 16 << 20
# So many sizes are known; the next one takes the place of the oldest.
SIZES = 256
# Images pass on by themselves: of so many layouts, and of each layout so many bytes.
LAYOUTS, LAYOUT_BYTES = 8, 8 << 20


@native.know_slots
class Block:
    """A buffer's memory that the buffer does not use any more; called, it goes back to the device. `size` is what the driver has given."""

    __slots__ = ("address", "device", "size")

    def __init__(self, device: Device, address: int, size: int):
        self.device = device
        self.address = address
        self.size = size

    def __call__(self) -> None:
        self.device.driver_device.free(self.address)


class RestingImage:
    """The same of an image."""

    __slots__ = ("_image", "device", "size")

    def __init__(self, device: Device, image: DriverImage, size: int):
        self.device = device
        self._image = image
        self.size = size

    def __call__(self) -> None:
        self._image.close()


def _rests(queue: Queue | None) -> bool:
    return queue is not None and not queue.closed and queue.idle


def _are_alike(frees: collections.deque[Callable[[], None]]) -> TypeGuard[collections.deque[Block]]:
    """Whether there are several blocks, and nothing else, of one size and device."""
    if len(frees) < 2 or type(frees[0]) is not Block:
        return False
    size, device = frees[0].size, frees[0].device
    for free in frees:  # noqa: SIM110  # A generator takes a step more for each.
        if type(free) is not Block or free.size != size or free.device is not device:
            return False
    return True


@native.know_slots
class StreamOrderedMemory:
    """The memory of one context that waits for its next owner.

    queue   the context's only queue, while its order is all that is needed; None: no command uses what is here
    rounds  blocks are as large as `rounded` says, so that buffers of nearly the same size can have one after the other
    free    addresses by size, which code in C takes, too (runtime/native/storage.c): between looking and taking it may be quicker, but it
            adds and removes no size
    bytes   all that is here, but for images
    """

    __slots__ = ("_device", "_images", "_keeps", "_lock", "_refusals", "_reused", "bytes", "free", "queue", "rounds")

    def __init__(self, device: Device | None) -> None:
        """`device` is the context's only one."""
        self._lock = threading.Lock()
        self._device = device
        self._keeps = device is not None and not debug_mode.active()
        self.rounds = device is not None and device.driver_device.rounds_sizes
        self._refusals = 0
        self.queue: weakref.ref[Queue] | None = None
        self.free: dict[int, list[int]] = {}
        self.bytes = 0
        self._images: dict[Hashable, list[tuple[DriverImage, int]]] = {}  # with their bytes, by what layouts are known by
        self._reused = False

    def begin(self, queue: Queue) -> None:
        """The queue is the only one of a context of one device."""
        if queue.keeps_order and not queue.device.host_addressable and self._keeps:
            self.queue = weakref.ref(queue)

    def only_queue(self) -> Queue | None:
        """The context's only queue, if what is put into a new buffer can go there in order: the next queue will come after that."""
        reference = self.queue
        if reference is None:
            return None
        with self._lock:
            queue = self.queue() if self.queue else None
            if queue is None or queue.needs_full_submit:
                return None
            self._reused = True
            return queue

    def end(self) -> tuple[bool, list[Block | RestingImage]]:
        """Another queue is about to come. Returns whether buffers may have memory that commands for others still use, and the memory that
        is kept here, which commands may use, too."""
        if self.queue is None:  # It has come already.
            return False, []
        with self._lock:
            self.queue, reused, self._reused = None, self._reused, False
            return reused, self._taken_out()

    def close(self) -> None:
        """The context goes: nothing more is kept here. Finalizers call this, which may run anywhere: so it takes no lock, and what is kept
        stays until whoever frees it for the context calls `empty`."""
        self._keeps = False

    @property
    def has_some(self) -> bool:
        """Something is kept here."""
        return bool(self.bytes or self._images)

    def empty(self) -> list[Block | RestingImage]:
        """Returns what is kept here, which commands may use, where the context had one queue."""
        with self._lock:
            return self._taken_out()

    def _taken_out(self) -> list[Block | RestingImage]:
        if self._device is None:
            return []
        free, self.free, self.bytes = self.free, {}, 0
        images, self._images = self._images, {}
        blocks: list[Block | RestingImage] = [
            Block(self._device, address, size) for size, addresses in free.items() for address in addresses]
        for resting in images.values():
            while resting:
                with contextlib.suppress(IndexError):  # `pass_on` has taken it back.
                    blocks.append(RestingImage(self._device, *resting.pop()))
        return blocks

    @contextlib.contextmanager
    def refused(self) -> Iterator[None]:
        """A `with` block in which nothing is kept here."""
        with self._lock:
            self._refusals += 1
        try:
            yield
        finally:
            with self._lock:
                self._refusals -= 1

    def give(self, retired: collections.deque[Callable[[], None]]) -> None:
        """Keeps of what was retired blocks, where all later commands come after those of now; the rest stays, to be freed after these."""
        reference = self.queue  # which another thread may drop
        queue = reference() if reference else None
        if queue is None or queue.closed or queue.has_deferred:
            return
        with self._lock:
            if self.queue is not None:
                self._reused = True
                self._take_over(retired, LARGEST, MOST_BYTES, MOST_BYTES)

    def keep(self, unused: collections.deque[Callable[[], None]]) -> None:
        """Keeps of what no command uses the small blocks; the rest stays."""
        with self._lock:
            self._take_over(unused, LITTLE, PIECES, PIECES_BYTES)

    def _take_over(self, frees: collections.deque[Callable[[], None]], largest: int, most: int, most_bytes: int) -> None:
        """Of each size so many pieces and bytes."""
        if not self._keeps or self._refusals or debug_mode.active():  # which has no rounded sizes
            return
        if _are_alike(frees):
            self._take_alike(frees, largest, most, most_bytes)
        for _ in range(len(frees)):
            free = frees.popleft()
            if type(free) is Block and free.device is self._device and free.size <= largest and self.bytes + free.size <= MOST_BYTES:
                addresses = self.free.get(free.size)
                if addresses is None:
                    if len(self.free) >= SIZES:
                        frees.extend(self._forget_a_size())
                    addresses = self.free[free.size] = []
                if len(addresses) < min(most, most_bytes // free.size):
                    addresses.append(free.address)
                    self.bytes += free.size
                    continue
            frees.append(free)

    def _take_alike(self, frees: collections.deque[Block], largest: int, most: int, most_bytes: int) -> None:
        """The same of many blocks at once of a size that is known, as temporary arrays mostly are."""
        size, addresses = frees[0].size, self.free.get(frees[0].size)
        if addresses is not None and frees[0].device is self._device and size <= largest:
            count = max(0, min(len(frees), min(most, most_bytes // size) - len(addresses), (MOST_BYTES - self.bytes) // size))
            addresses += [frees.popleft().address for _ in range(count)]
            self.bytes += count * size

    def _forget_a_size(self) -> list[Block]:
        """What is kept of the size that came first."""
        size = next(iter(self.free))
        addresses = self.free.pop(size)
        kept = size * len(addresses)
        self.bytes -= kept  # Code in C changes it as well: nothing is called between the look and the change.
        assert self._device is not None
        return [Block(self._device, address, size) for address in addresses]

    def block_size(self, size: int) -> int:
        """How many bytes the memory of a buffer of this size has."""
        return rounded(size) if self.rounds else size

    def knows(self, size: int) -> bool:
        """Whether there has been memory here for buffers of this size: then code in C brings more as soon as others let go of it."""
        return self.block_size(size) in self.free

    def take(self, size: int, unused: bool = False) -> int:
        """The address of memory for a buffer of this size that only commands of queues are going to use; 0 if none is kept here. `unused`:
        what no command uses, for whatever is done with it: of the only queue's where that is idle."""
        size = self.block_size(size)
        if not self.free.get(size):
            return 0
        with self._lock:
            reference, addresses = self.queue, self.free.get(size)
            queue = reference() if reference else None
            if not addresses or (reference and (queue is None or queue.closed)):
                return 0
            try:
                address = addresses.pop()
            except IndexError:
                return 0
            # Its last owner's commands have been given. Another thread may have begun with a queue just now.
            if unused and self.queue is not None and not _rests(self.queue()):
                addresses.append(address)
                return 0
            self.bytes -= size
            return address

    def pass_on(self, layout: Hashable, image: DriverImage, size: int) -> bool:
        """Keeps an image of so many bytes for the next one of its layout, where all later commands come after those of now; whether it has.
        Finalizers call this, which may run anywhere: so it takes no lock, and looks again when the image is here."""
        reference = self.queue
        queue = reference() if reference else None
        if queue is None or queue.closed or queue.has_deferred or self._refusals or not self._keeps:
            return False
        resting = self._images.get(layout)
        if resting is None:
            if len(self._images) >= LAYOUTS:
                return False
            resting = self._images.setdefault(layout, [])
        if (len(resting) + 1) * size > LAYOUT_BYTES:
            return False
        self._reused = True
        kept = image, size
        resting.append(kept)
        if self.queue is reference and self._keeps and not self._refusals and self._images.get(layout) is resting:
            return True
        try:
            resting.remove(kept)
        except ValueError:  # It was taken, or is on its way back to the device.
            return True
        return False

    def take_image(self, layout: Hashable, queue: Queue) -> DriverImage | None:
        """One that commands of the queue may still use, for its commands to come, while it is the context's only one."""
        reference = self.queue
        resting = self._images.get(layout) if reference is not None and reference() is queue else None
        try:
            return resting.pop()[0] if resting else None
        except IndexError:
            return None
