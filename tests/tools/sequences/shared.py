"""Shared virtual memory, of coarse grains."""

from __future__ import annotations

import ctypes
from ctypes import c_uint, c_uint64, c_void_p
from dataclasses import dataclass

import buffers
import calls
import numpy as np
from calls import size
from world import Region, Root, World


@dataclass(eq=False)
class Shared:
    address: int
    root: Root
    maps: int = 0


def make(world: World) -> None:
    if len(world.shared) > 4 or not world.facts.has_shared:
        return
    context, bytes_ = world.choice(*world.contexts), 128 * world.choice(1, 2, 33, 64)
    if world.errs(0.1):
        found = address(world, context.handle, calls.READ_WRITE, 0)
        world.check(found, None, "clSVMAlloc of no bytes")
        return
    found = address(world, context.handle, calls.READ_WRITE, bytes_)
    assert found, "clSVMAlloc gives none"
    made = Shared(found, Root(context, np.zeros(bytes_, np.uint8)))
    world.shared.append(made)
    pattern = world.data(128)
    give_fill(world, made, pattern, 0, bytes_, is_first=True)


def address(world: World, context: int, flags: int, bytes_: int) -> int | None:
    return world.cl.pointer("clSVMAlloc", c_void_p(context), c_uint64(flags), size(bytes_), c_uint(0))


def give_fill(world: World, memory: Shared, pattern: np.ndarray, start: int, end: int, wrong: int = 0, is_first: bool = False) -> None:
    def apply() -> None:
        memory.root.model[start:end] = np.tile(pattern, (end - start) // len(pattern))

    given = pattern.copy()
    world.kept.append(given)
    world.say(f"fill shared {world.shared.index(memory)} {start}..{end} by {len(pattern)}")
    world.enqueue("clEnqueueSVMMemFill", world.any_queue(memory.root.context), (
        c_void_p(memory.address + start), c_void_p(given.ctypes.data), size(len(pattern)), size(end - start)), [(memory.root, start, end, True)], apply,
        wrong=wrong, is_first=is_first)
    given[:] = 0xEE


def fill(world: World) -> None:
    memory = world.one_of(world.shared)
    if memory is None:
        return
    unit = world.choice(1, 2, 4, 8, 16, 32, 64, 128)
    start, end = world.span(len(memory.root.model), unit)
    if world.free(memory.root, start, end, True):
        wrong = 0
        if unit > 1 and world.errs(0.05):
            wrong, end = calls.INVALID_VALUE, end + 1
        give_fill(world, memory, world.data(unit), start, end, wrong)


def copy(world: World) -> None:
    """To or from shared memory, or from one allocation to another."""
    memory, blocks, way = world.one_of(world.shared), world.chance(0.4), world.choice("write", "read", "copy")
    if memory is None:
        return
    root = memory.root
    start, end = world.span(len(root.model))
    queue, wrong = world.any_queue(root.context), calls.INVALID_VALUE if world.errs(0.04) else 0
    if not world.free(root, start, end, way == "write"):
        return
    place = memory.address + start
    world.say(f"{way} shared {world.shared.index(memory)} {start}..{end}")
    if way == "copy":
        other = world.one_of(each for each in world.shared if each is not memory and each.root.context is root.context and len(each.root.model) >= end)
        if other is None or not world.free(other.root, start, end, True):
            return

        def apply() -> None:
            other.root.model[start:end] = root.model[start:end]

        world.enqueue("clEnqueueSVMMemcpy", queue, (c_uint(blocks), c_void_p(other.address + start), c_void_p(place), size(end - start)),
                      [(root, start, end, False), (other.root, start, end, True)], apply, blocks=blocks)
        return
    host = world.data(end - start)
    contents = host.copy()
    world.kept.append(host)
    there = 0 if wrong else host.ctypes.data
    ends = (place, there) if way == "write" else (there, place)

    def written() -> None:
        if way == "write":
            root.model[start:end] = contents

    command = world.enqueue("clEnqueueSVMMemcpy", queue, (c_uint(blocks), *map(c_void_p, ends), size(end - start)), [(root, start, end, way == "write")],
                            written, blocks=blocks, wrong=wrong)
    if way == "read":
        buffers.note_reading(world, command, host, root.model[start:end].copy(), blocks)
    elif blocks:
        host[:] = 0xEE


def map_(world: World) -> None:
    memory = world.one_of(world.shared)
    if memory is None or memory.maps:
        return
    flags = world.choice(calls.MAP_READ, calls.MAP_WRITE, calls.MAP_READ | calls.MAP_WRITE, calls.MAP_INVALIDATE)
    start, end = world.span(len(memory.root.model))
    writes, blocks = flags != calls.MAP_READ, world.chance(0.5)
    if not world.free(memory.root, start, end, writes):
        return
    wrong = 0
    given = end - start
    if world.errs(0.05):
        wrong, flags, given = calls.INVALID_VALUE, *world.choice((calls.MAP_READ | calls.MAP_INVALIDATE, given), (flags, 0))
    world.say(f"map shared {world.shared.index(memory)} {start}..{end} flags {flags}")
    command = world.enqueue("clEnqueueSVMMap", world.any_queue(memory.root.context), (
        c_uint(blocks), c_uint64(flags), c_void_p(memory.address + start), size(given)), [(memory.root, start, end, writes)], blocks=blocks, may_fail=False,
        wrong=wrong)
    if command.event is None:
        return
    place = (start, end, writes)
    memory.root.mapped.append(place)
    memory.maps += 1
    region = Region(memory, memory.address + start, place, command.event, np.arange(start, end), np.arange(end - start), writes,
                    flags == calls.MAP_INVALIDATE)
    world.regions.append(region)
    if blocks:
        buffers.look(world, region)


def migrate(world: World) -> None:
    """A part of an allocation, or all of it by any address inside."""
    memory, flags = world.one_of(world.shared), world.choice(0, 0, calls.MIGRATE_TO_HOST)
    if memory is None:
        return
    root = memory.root
    start, end = world.span(len(root.model))
    given, wrong = world.choice(end - start, 0), 0
    if world.errs(0.05):
        wrong, given = calls.INVALID_VALUE, len(root.model) + 1
    if not world.free(root, 0, len(root.model), False):
        return
    world.say(f"migrate shared {world.shared.index(memory)} {start}..{end} ({given} bytes) flags {flags}")
    world.enqueue("clEnqueueSVMMigrateMem", world.any_queue(root.context), (
        c_uint(1), calls.pointers([memory.address + start]), ctypes.byref(size(given)), c_uint64(flags)), [(root, 0, len(root.model), False)], wrong=wrong)


def free(world: World) -> None:
    memory = world.one_of(each for each in world.shared if not each.maps)
    if memory is None:
        return
    root = memory.root
    for kernel in world.kernels:
        kernel.forget(memory)
    if world.chance(0.5):
        command = world.enqueue("clEnqueueSVMFree", world.any_queue(root.context), (c_uint(1), calls.pointers([memory.address]), None, None),
                                [(root, 0, len(root.model), True)], may_fail=False)
        if command.event is None:
            return
    else:
        world.open_gates()
        world.end_opening()
        for queue in world.queues:
            world.check(world.cl.code("clFinish", c_void_p(queue.handle)), 0, "clFinish")
        world.cl.code("clSVMFree", c_void_p(root.context.handle), c_void_p(memory.address))
    world.say(f"free shared {world.shared.index(memory)}")
    world.shared.remove(memory)


def check(world: World, memory: Shared) -> None:
    root, queue = memory.root, world.any_queue(memory.root.context)
    if not world.free(root, 0, len(root.model), False):
        return
    found = np.full(len(root.model), 0xAA, np.uint8)
    world.check(world.cl.code("clEnqueueSVMMemcpy", c_void_p(queue.handle), c_uint(1), c_void_p(found.ctypes.data), c_void_p(memory.address),
                              size(len(found)), c_uint(0), None, None), 0, "clEnqueueSVMMemcpy")
    assert np.array_equal(found, root.model), f"shared memory {world.shared.index(memory)} differs from the model at {np.flatnonzero(found != root.model)}"


COMMANDS = [(3, make), (4, fill), (7, copy), (3, map_), (2, migrate), (1, free)]
