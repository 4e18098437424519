"""Which work-items failed, by a core dump: made here as the NVIDIA driver makes it, as far as it is read."""

from __future__ import annotations

import struct
from types import SimpleNamespace

import pytest

from cl2cuda.runtime.cuda import core_dump
from cl2cuda.runtime.cuda.core_dump import BLOCKS, THREADS, WARPS, CoreDump, Thread, failed
from cl2cuda.runtime.cuda.launch import LaunchRecord

ROW = {BLOCKS: 52, WARPS: 80, THREADS: 64}


class Library(SimpleNamespace):
    """A CUDA driver that takes, or refuses, what is asked of it."""

    def __init__(self, refused=()):
        self.asked = {}
        self.refused = refused

    def cuCoredumpSetAttributeGlobal(self, setting, value, size):
        self.asked[setting] = value._obj.value
        assert size._obj.value == len(bytes(value._obj))
        return 1 if setting in self.refused else 0


def thread(lane, x=0, y=0, z=0, exception=0):
    return struct.pack("<QQIIIII", 0, 0, lane, x, y, z, exception)


def core(blocks, large=False):
    """blocks: (blockIdx, warps), each warp (active lanes, 1 with the address of an exception or 2 if stopped by one, threads)."""
    sections = [(0, 0, 0, b"")]  # (type, parent, row of the parent, contents)
    sections.append((BLOCKS, 0, 0, b"".join(struct.pack("<QIII", 1, *block).ljust(ROW[BLOCKS], b"\0") for block, _ in blocks)))
    for number, (_, warps) in enumerate(blocks):
        rows = b"".join(struct.pack("<QIIIII", 0x1234, 0, 0xFFFFFFFF, active, how == 2, how == 1).ljust(ROW[WARPS], b"\0") for active, how, _ in warps)
        place = len(sections)
        sections.append((WARPS, 1, number, rows))
        sections += [(THREADS, place, row, b"".join(one.ljust(ROW[THREADS], b"\0") for one in threads))
                     for row, (_, _, threads) in enumerate(warps)]
    at, bodies, headers = 64, b"", []
    for kind, parent, row, body in sections:
        headers.append(struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, at + len(bodies), len(body), parent, row, 1, ROW.get(kind, 0)))
        bodies += body
    if large:
        headers[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, len(headers), 0, 0, 1, 0)
    start = struct.pack("<16s24xQ10xHHH", b"\x7fELF", at + len(bodies), 64, 0 if large else len(headers), 0)
    return start.ljust(64, b"\0") + bodies + b"".join(headers)


HEALTHY = (0xFFFFFFFF, 0, [thread(0, 5), thread(1, 6)])


@pytest.mark.parametrize("large", [False, True])
def test_threads_with_an_exception(large):
    dump = core([((7, 0, 0), [HEALTHY]), ((3, 2, 1), [HEALTHY, (0b11, 1, [thread(0, 32), thread(1, 33, 1, 2, exception=14)])])], large)
    assert failed(dump) == [Thread((3, 2, 1), (33, 1, 2))]


def test_without_one_those_that_were_active_in_warps_that_stopped():
    assert failed(core([((4, 0, 0), [HEALTHY, (0b10, 1, [thread(0, 32), thread(1, 33)])])])) == [Thread((4, 0, 0), (33, 0, 0))]
    assert failed(core([((4, 0, 0), [HEALTHY, (0b01, 2, [thread(0, 32), thread(1, 33)])])])) == [Thread((4, 0, 0), (32, 0, 0))]
    both = [(0b01, 2, [thread(0, 32)]), (0b01, 1, [thread(0, 64)])]
    assert failed(core([((4, 0, 0), both)])) == [Thread((4, 0, 0), (64, 0, 0))]
    assert failed(core([((4, 0, 0), [HEALTHY])])) == []


@pytest.fixture
def dump():
    made = CoreDump(Library())
    yield made
    made.close()


def test_the_words(dump):
    assert dump.wanted
    record = LaunchRecord((5, 0, 0), (1000, 64, 1), (3, 0, 0), (10, 1, 1), (100, 8, 1), 2)
    assert dump.where(record, 2) == ""  # no such file yet
    dump.path.write_bytes(core([((2, 1, 0), [(1, 1, [thread(0, 7, 3, exception=14)])])]))
    assert dump.where(record, 2) == "in the work-item with global id (512, 11)"
    assert dump.where(record, 1) == "in the work-item with global id 512"
    dump.path.write_bytes(core([((0, 0, 0), [(0xFFFF, 1, [thread(lane, lane) for lane in range(16)])])]))
    assert dump.where(record, 1) == (
        "in one of the work-items with global ids 305, 306, 307, 308, 309, 310, 311, 312 and 8 more")
    folded = LaunchRecord((0, 0, 7), (3, 2, 300), (0, 0, 1), (1, 1, 3), (3, 2, 100), 3, (3, 2, 100))
    dump.path.write_bytes(core([((0, 0, 0), [(1, 1, [thread(0, 599, exception=14)])])]))
    assert dump.where(folded, 3) == "in the work-item with global id (2, 1, 206)"
    dump.path.write_bytes(core([((0, 0, 1), [(1, 1, [thread(0, 4, exception=14)])])]))
    assert dump.where(folded, 3) == "in the work-item with global id (1, 1, 207)"
    for damaged in (b"", b"\x7fELF", dump.path.read_bytes()[:100]):
        dump.path.write_bytes(damaged)
        assert dump.where(record, 1) == ""
    dump.close()
    assert not dump.path.parent.exists()


def test_what_the_driver_is_asked_for():
    library = Library()
    made = CoreDump(library)
    made.close()
    assert library.asked == {core_dump.GENERATION_FLAGS: 63, core_dump.TRIGGER_HOST: False, core_dump.ENABLE_ON_EXCEPTION: True,
                             core_dump.FILE: str(made.path).encode()}


def test_a_driver_that_would_end_the_process_is_not_asked():
    library = Library(refused=(core_dump.GENERATION_FLAGS,))
    made = CoreDump(library)
    made.close()
    assert not made.wanted and core_dump.ENABLE_ON_EXCEPTION not in library.asked
    old = CoreDump(SimpleNamespace())
    old.close()
    assert not old.wanted
