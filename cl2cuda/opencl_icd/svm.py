"""Shared virtual memory (5.6)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from ..runtime.commands import svm as commands
from ..runtime.context.context import Context
from ..runtime.memory import svm
from ..runtime.queue.event import Event
from ..runtime.queue.queue import CommandQueue
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from . import application
from .memory import pattern_bytes
from .plain import natively

Waits = tuple[Event, ...]


def clSVMAlloc(context: Context, flags: int, size: int, alignment: int) -> int:
    return svm.svm_alloc(context, flags, size, alignment)


def clSVMFree(context: Context | None, address: int) -> None:
    if context is not None and address:
        svm.svm_free(context, address)


def clEnqueueSVMFree(queue_address: int, count: int, pointers: int, free: int, user_data: int, waits: Waits) -> Event:
    queue: CommandQueue = application.core(queue_address, "Q")
    if not count != (not pointers):
        raise CLError("clEnqueueSVMFree", "INVALID_VALUE", f"{count} pointers are given by the address {pointers:#x}")
    given = application.words(pointers, count) if pointers else None
    if not free:
        return commands.enqueue_svm_free(queue, given, None, waits)
    application.keep(queue_address)

    def call(_: object, addresses: Sequence[int]) -> None:
        array = (ctypes.c_uint64 * max(1, len(addresses)))(*addresses)
        try:
            application.call(free, queue_address, len(addresses), ctypes.addressof(array), user_data)
        finally:
            application.drop(queue_address)

    return commands.enqueue_svm_free(queue, given, call, waits)


def clEnqueueSVMMemcpy(queue: CommandQueue, blocking: int, target: int, source: int, size: int, waits: Waits) -> Event:
    return _copy(queue, bool(blocking), target, source, waits, size)


@natively("_enqueue_svm_memcpy", codes.COMMAND_SVM_MEMCPY)
def _copy(queue: CommandQueue, blocking: bool, target: int, source: int, waits: Waits, size: int) -> Event:
    return commands.enqueue_svm_memcpy(queue, blocking, target, source, size, waits)


def clEnqueueSVMMemFill(queue: CommandQueue, address: int, pattern: int, pattern_size: int, size: int, waits: Waits) -> Event:
    return _fill(queue, address, pattern_bytes("clEnqueueSVMMemFill", pattern, pattern_size), size, waits)


@natively("_enqueue_svm_memfill", codes.COMMAND_SVM_MEMFILL)
def _fill(queue: CommandQueue, address: int, pattern: bytes, size: int, waits: Waits) -> Event:
    return commands.enqueue_svm_fill(queue, address, pattern, size, waits)


def clEnqueueSVMMap(queue: CommandQueue, blocking: int, flags: int, address: int, size: int, waits: Waits) -> Event:
    return _map(queue, bool(blocking), flags, address, waits, size)


@natively("_enqueue_svm_map", codes.COMMAND_SVM_MAP)
def _map(queue: CommandQueue, blocking: bool, flags: int, address: int, waits: Waits, size: int) -> Event:
    return commands.enqueue_svm_map(queue, blocking, flags, address, size, waits)


@natively("_enqueue_svm_unmap", codes.COMMAND_SVM_UNMAP)
def clEnqueueSVMUnmap(queue: CommandQueue, address: int, waits: Waits) -> Event:
    return commands.enqueue_svm_unmap(queue, address, waits)


def clEnqueueSVMMigrateMem(queue: CommandQueue, count: int, pointers: int, sizes: int, flags: int, waits: Waits) -> Event:
    if not count or not pointers:
        raise CLError("clEnqueueSVMMigrateMem", "INVALID_VALUE", "no pointers are given")
    lengths = application.words(sizes, count) if sizes else (0,) * count
    return commands.enqueue_svm_migrate(queue, list(zip(application.words(pointers, count), lengths, strict=True)), flags, waits)
