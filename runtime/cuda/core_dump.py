"""Debug mode: which work-items failed, by the core dump that the NVIDIA driver writes when a kernel does.

The dump is asked for without any memory, and goes with the process. It is an ELF file whose sections are tables: the blocks that
were on a multiprocessor, the warps of a block, the threads of a warp; each names its parent's section and row.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..driver.interface import Triple
from .launch import LaunchRecord, unfolded

# CUcoredumpSettings, and CUCoredumpGenerationFlags: everything is left out that can be, and the process is not aborted.
ENABLE_ON_EXCEPTION, TRIGGER_HOST, FILE, GENERATION_FLAGS = 1, 2, 5, 7
WITHOUT_MEMORY, SKIP_ABORT = 1 | 2 | 4 | 8 | 32, 16

# Types of sections, and their rows' fields that are read.
BLOCKS, WARPS, THREADS = 0x8000000D, 0x8000000E, 0x8000000F
_BLOCK = struct.Struct("<QIII")  # grid, blockIdx
_WARP = struct.Struct("<QIIIII")  # address of the failure, warp, lanes that are there, active ones, broken, whether the address holds
_THREAD = struct.Struct("<QQIIIII")  # two addresses, lane, threadIdx, exception
_SECTION = struct.Struct("<IIQQQQIIQQ")
SECTIONS_AT, SECTION_COUNTS_AT = 40, 58  # in the ELF header

NAMED = 8


class Thread(NamedTuple):
    block: Triple
    thread: Triple


class CoreDump:
    """The file of a process. `wanted` says whether the driver will write it."""

    def __init__(self, library: ctypes.CDLL):
        import tempfile  # which debug mode alone needs

        self._folder = tempfile.mkdtemp(prefix="cl2cuda-")
        self.path = Path(self._folder) / "core"
        self.wanted = self._ask(library)

    def _ask(self, library: ctypes.CDLL) -> bool:
        """Asks for dumps of contexts made from now on. Drivers that would end the process with the dump are not asked."""
        name = ctypes.create_string_buffer(str(self.path).encode())
        settings = ((GENERATION_FLAGS, ctypes.c_int(WITHOUT_MEMORY | SKIP_ABORT)), (TRIGGER_HOST, ctypes.c_bool(False)), (FILE, name),
                    (ENABLE_ON_EXCEPTION, ctypes.c_bool(True)))
        call = getattr(library, "cuCoredumpSetAttributeGlobal", None)
        return call is not None and all(
            call(setting, ctypes.byref(value), ctypes.byref(ctypes.c_size_t(ctypes.sizeof(value)))) == 0 for setting, value in settings)

    def where(self, record: LaunchRecord, work_dim: int) -> str:
        """The work-items that failed, in words; "" where that is not known."""
        try:
            found = failed(self.path.read_bytes())
        except (OSError, struct.error):
            return ""
        ids = sorted(global_id(record, each)[:work_dim] for each in found)
        shown = [str(one[0] if work_dim == 1 else one) for one in ids[:NAMED]]
        if not ids:
            return ""
        if len(ids) == 1:
            return f"in the work-item with global id {shown[0]}"
        more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
        return f"in one of the work-items with global ids {', '.join(shown)}{more}"

    def close(self) -> None:
        import shutil

        shutil.rmtree(self._folder, ignore_errors=True)


def global_id(record: LaunchRecord, failed: Thread) -> Triple:
    x, y, z = ((base + block) * local + offset + thread for base, block, local, offset, thread in
               zip(record.group_base, failed.block, record.enqueued_local, record.offset, unfolded(record, failed.thread), strict=True))
    return x, y, z


def failed(core: bytes) -> list[Thread]:
    """The threads with an exception; where there are none, those that were active in the warps with the address of one, or in those
    that stopped by one. (A store that fails is noticed when its warp has gone on, or is gone: then there are none at all.)"""
    sections = [Section(*fields) for fields in _headers(core)]
    certain: list[Thread] = []
    addressed: list[Thread] = []
    stopped: list[Thread] = []
    for threads in sections:
        if threads.type == THREADS:
            warps = sections[threads.parent]
            _, _, _, active, broken, has_address = warps.row(_WARP, core, threads.parents_row)
            _, *block = sections[warps.parent].row(_BLOCK, core, warps.parents_row)
            for number in range(threads.size // threads.row_size):
                _, _, lane, x, y, z, exception = threads.row(_THREAD, core, number)
                thread = Thread((block[0], block[1], block[2]), (x, y, z))
                if exception:
                    certain.append(thread)
                elif active >> lane & 1 and (has_address or broken):
                    (addressed if has_address else stopped).append(thread)
    return certain or addressed or stopped


class Section(NamedTuple):
    """A section's header, as ELF has it."""

    name: int
    type: int
    flags: int
    address: int
    start: int
    size: int
    parent: int
    parents_row: int
    alignment: int
    row_size: int

    def row(self, fields: struct.Struct, core: bytes, number: int) -> tuple[int, ...]:
        return fields.unpack_from(core, self.start + number * self.row_size)


def _headers(core: bytes) -> Iterator[tuple[int, ...]]:
    (start,) = struct.unpack_from("<Q", core, SECTIONS_AT)
    size, count = struct.unpack_from("<HH", core, SECTION_COUNTS_AT)
    if count == 0:  # More than fit into two bytes are counted in the first header.
        count = _SECTION.unpack_from(core, start)[5]
    return (_SECTION.unpack_from(core, start + number * size) for number in range(count))
