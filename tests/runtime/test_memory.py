"""Kept device memory: reuse, rounding, and what happens when CUDA has none left. The device's own is in test_cuda_driver.py."""

import threading
import time

import pytest
from support.threads import ends

from cl2cuda.runtime.cuda.memory import Memory
from cl2cuda.runtime.driver.block_size import PAGE, rounded
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.process import debug_mode


class Cuda:
    """Memory of a size, given out at addresses that never come again."""

    def __init__(self, size):
        self.left, self.blocks, self.calls = size, {}, 0

    def allocate(self, size):
        if size > self.left:
            raise DriverError("none left", "MEM_OBJECT_ALLOCATION_FAILURE")
        self.calls += 1
        self.left -= size
        self.blocks[self.calls * 1000] = size
        return self.calls * 1000

    def free(self, address):
        self.left += self.blocks.pop(address)


@pytest.fixture
def cuda():
    return Cuda(64 * PAGE)


@pytest.fixture
def memory(cuda):
    return Memory(cuda.allocate, cuda.free, 16 * PAGE)


@pytest.mark.parametrize("size", [1, 511, 512, 513, 4096, 4097, 100_000, PAGE - 1, PAGE, PAGE + 1, 10 * PAGE, 10 * PAGE + 7])
def test_rounded_sizes_hold_and_waste_little(size):
    assert size <= rounded(size) <= max(512, size * 9 / 8 + 512, -(-size // PAGE) * PAGE)
    assert rounded(rounded(size)) == rounded(size)


def test_what_is_freed_serves_the_next_of_about_its_size(cuda, memory):
    first = memory.allocate(4000)
    memory.free(first)
    assert memory.allocate(4096) == first and cuda.calls == 1
    assert memory.allocate(4096) != first
    assert memory.kept == 0


def test_no_more_is_kept_than_the_limit(cuda, memory):
    blocks = [memory.allocate(PAGE) for _ in range(20)]
    for block in blocks:
        memory.free(block)
    assert memory.kept == 16 * PAGE and len(cuda.blocks) == 16
    memory.trim()
    assert memory.kept == 0 and not cuda.blocks


def test_what_is_kept_goes_before_an_allocation_fails(cuda, memory):
    for block in [memory.allocate(PAGE) for _ in range(16)]:
        memory.free(block)
    assert memory.allocate(60 * PAGE) and memory.kept == 0
    with pytest.raises(DriverError) as caught:
        memory.allocate(60 * PAGE)
    assert caught.value.status == "MEM_OBJECT_ALLOCATION_FAILURE"


def test_in_debug_mode_every_block_is_cudas_own(cuda, memory, monkeypatch):
    monkeypatch.setattr(debug_mode, "_active", True)
    block = memory.allocate(100)
    assert cuda.blocks[block] == 100
    memory.free(block)
    assert not cuda.blocks


def test_an_allocation_that_fails_waits_for_a_thread_that_gives_back(cuda):
    begun = threading.Event()

    def free(address):
        begun.set()
        time.sleep(0.05)
        cuda.free(address)

    memory = Memory(cuda.allocate, free, 16 * PAGE)
    for block in [memory.allocate(4 * PAGE) for _ in range(4)]:
        memory.free(block)
    thread = threading.Thread(target=memory.trim)
    thread.start()
    assert begun.wait(10) and memory.kept == 0
    assert memory.allocate(64 * PAGE)
    thread.join()


@pytest.mark.parametrize("what", ["free", "trim"])
def test_a_destructor_may_free_memory_in_the_middle(cuda, memory, what):
    """Python's search for garbage calls it where anything is made."""
    blocks = [memory.allocate(PAGE) for _ in range(3)]
    memory.free(blocks.pop())

    class Meeting(dict):
        def setdefault(self, size, new):
            memory._resting = dict(self)
            memory.free(blocks.pop())
            return memory._resting.setdefault(size, new)

        def values(self):
            memory.free(blocks.pop())
            return dict(self).values()

    memory._resting = Meeting(memory._resting)
    assert ends(memory.trim if what == "trim" else lambda: memory.free(blocks.pop(0)))
    assert memory.kept == (PAGE if what == "trim" else 3 * PAGE)
    memory.trim()
    assert memory.kept == 0 and len(cuda.blocks) == len(blocks)
