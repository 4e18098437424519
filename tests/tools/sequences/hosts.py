"""Contents that go from a buffer to the host's memory and from there into another one, which nobody waits for: memory of the application's own,
and such as CUDA page-locks, of a buffer that stays mapped."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_uint, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

import buffers
import calls
import numpy as np
from calls import size
from world import Context, Root, World

SIZE = 40 << 10


@dataclass(eq=False)
class HostMemory:
    """`buffer`: what it is mapped of; 0 for memory of the application's."""

    root: Root
    memory: np.ndarray
    buffer: int = 0


def find(world: World, context: Context) -> HostMemory:
    """One of two that each context has."""
    is_locked = world.chance(0.6)
    return next((each for each in world.hosts if each.root.context is context and bool(each.buffer) == is_locked), None) or make(world, context, is_locked)


def make(world: World, context: Context, is_locked: bool) -> HostMemory:
    queue = world.any_queue(context)
    if is_locked:
        world.open_gates()
        buffer = world.cl.made("clCreateBuffer", c_void_p(context.handle), c_uint64(calls.ALLOC_HOST_PTR), size(SIZE), None)
        address, code = world.cl.make("clEnqueueMapBuffer", c_void_p(queue.handle), c_void_p(buffer), c_uint(1),
                                      c_uint64(calls.MAP_READ | calls.MAP_WRITE), size(0), size(SIZE), c_uint(0), None, None)
        world.check(code, 0, "clEnqueueMapBuffer")
        world.end_opening()
        memory = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_uint8 * SIZE).from_address(address))
    else:
        buffer, memory = 0, np.empty(SIZE, np.uint8)
    memory[:] = model = world.data(SIZE)
    made = HostMemory(Root(context, model.copy()), memory, buffer)
    world.say(f"{'page-locked ' * is_locked}memory of the host")
    world.hosts.append(made)
    world.kept.append(memory)
    return made


def any_place(world: World, count: int) -> int:
    return min(world.choice(0, 0, 4, world.random.randrange(SIZE - count + 1)), SIZE - count)


def passed_on(model: np.ndarray, places: Any, host: HostMemory, theirs: Any, to_host: bool) -> Callable[[], None]:
    """What becomes of the models, of which these bytes are copied."""
    def apply() -> None:
        if to_host:
            host.root.model[theirs] = model[places]
        else:
            model[places] = host.root.model[theirs]

    return apply


def move(world: World) -> None:
    to_host, blocks = world.chance(0.5), world.chance(0.2)
    part = buffers.free_part(world, not to_host)
    if part is None:
        return
    memory, start, end = part
    end = min(end, start + world.choice(4, 64, 1000, 4096, SIZE))
    if memory.flags & (buffers.NOT_READ if to_host else buffers.NOT_WRITTEN):
        return
    host, count = find(world, memory.root.context), end - start
    at = any_place(world, count)
    world.say(f"{'read' if to_host else 'write'} {start}..{end} of {world.buffers.index(memory)} at {at} of the host's")
    world.enqueue(f"clEnqueue{'Read' if to_host else 'Write'}Buffer", world.any_queue(memory.root.context), (
        c_void_p(memory.handle), c_uint(blocks), size(start), size(count), c_void_p(host.memory.ctypes.data + at)),
        [buffers.use(memory, start, end, not to_host), (host.root, at, at + count, to_host)],
        passed_on(memory.model, slice(start, end), host, slice(at, at + count), to_host), blocks=blocks)


def move_rectangle(world: World) -> None:
    memory, region, to_host, blocks = buffers.any_buffer(world), buffers.any_region(world), world.chance(0.5), world.chance(0.2)
    if memory is None or memory.flags & (buffers.NOT_READ if to_host else buffers.NOT_WRITTEN):
        return
    there, here = buffers.layout(world, memory.size, region), buffers.layout(world, SIZE, region)
    if there is None or here is None:
        return
    start, end = int(there[3][0]), int(there[3][-1]) + 1
    if not buffers.free(world, memory, start, end, not to_host):
        return
    host = find(world, memory.root.context)
    world.say(f"rectangle {region} at {there[:3]} of {world.buffers.index(memory)}, {'to' if to_host else 'from'} the host's {here[:3]}")
    world.enqueue(f"clEnqueue{'Read' if to_host else 'Write'}BufferRect", world.any_queue(memory.root.context), (
        c_void_p(memory.handle), c_uint(blocks), calls.sizes(*there[0]), calls.sizes(*here[0]), calls.sizes(*region),
        *map(size, (there[1], there[2], here[1], here[2])), c_void_p(host.memory.ctypes.data)),
        [buffers.use(memory, start, end, not to_host), (host.root, int(here[3][0]), int(here[3][-1]) + 1, to_host)],
        passed_on(memory.model, there[3], host, here[3], to_host), blocks=blocks)


def move_shared(world: World) -> None:
    memory, to_host, blocks = world.one_of(world.shared), world.chance(0.5), world.chance(0.2)
    if memory is None:
        return
    root = memory.root
    start, end = world.span(len(root.model))
    end = min(end, start + world.choice(4, 64, 1000, 4096, SIZE))
    if not world.free(root, start, end, not to_host):
        return
    host, count = find(world, root.context), end - start
    at = any_place(world, count)
    ends = (host.memory.ctypes.data + at, memory.address + start) if to_host else (memory.address + start, host.memory.ctypes.data + at)
    world.say(f"{'read' if to_host else 'write'} {start}..{end} of shared {world.shared.index(memory)} at {at} of the host's")
    world.enqueue("clEnqueueSVMMemcpy", world.any_queue(root.context), (c_uint(blocks), *map(c_void_p, ends), size(count)),
                  [(root, start, end, not to_host), (host.root, at, at + count, to_host)],
                  passed_on(root.model, slice(start, end), host, slice(at, at + count), to_host), blocks=blocks)


def check(host: HostMemory) -> None:
    different = np.flatnonzero(host.memory != host.root.model)
    assert not len(different), f"the host's memory differs in {len(different)} bytes, from {different[0]} on"


def end(world: World) -> None:
    for host in world.hosts:
        if host.buffer:
            queue = world.any_queue(host.root.context)
            code = world.cl.code("clEnqueueUnmapMemObject", c_void_p(queue.handle), c_void_p(host.buffer), c_void_p(host.memory.ctypes.data),
                                 c_uint(0), None, None)
            world.check(code, 0, "clEnqueueUnmapMemObject")
            world.check(world.cl.code("clReleaseMemObject", c_void_p(host.buffer)), 0, "clReleaseMemObject")
    world.hosts.clear()


COMMANDS = [(14, move), (6, move_rectangle), (5, move_shared)]
