"""Commands and calls of buffers and their parts."""

from __future__ import annotations

from ctypes import c_uint, c_uint64, c_void_p
from typing import Any

import calls
import numpy as np
from calls import size
from world import Context, Memory, Queue, Reading, Region, Root, World

NOT_READ, NOT_WRITTEN = calls.HOST_WRITE_ONLY | calls.HOST_NO_ACCESS, calls.HOST_READ_ONLY | calls.HOST_NO_ACCESS
UNIT = 128  # what divides all sizes here: a pattern's, and what parts begin at


def make(world: World) -> None:
    if len(world.buffers) > 14:
        return
    context = world.choice(*world.contexts, world.contexts[0], world.contexts[0])
    size_ = UNIT * world.choice(1, 2, 3, 8, 32, 33, 64, 520, 1600, 8200) if world.chance(0.9) else UNIT * 20000
    flags = world.choice(0, calls.READ_WRITE, calls.READ_WRITE, calls.READ_ONLY, calls.WRITE_ONLY)
    flags |= world.choice(0, 0, 0, 0, calls.HOST_READ_ONLY, calls.HOST_WRITE_ONLY, calls.HOST_NO_ACCESS)
    how = world.choice(0, 0, 0, calls.COPY_HOST_PTR, calls.COPY_HOST_PTR, calls.USE_HOST_PTR, calls.ALLOC_HOST_PTR,
                       calls.ALLOC_HOST_PTR | calls.COPY_HOST_PTR)
    contents = world.data(size_)
    given = contents.copy() if how & (calls.COPY_HOST_PTR | calls.USE_HOST_PTR) else None
    wrong = 0
    if world.errs(0.08):
        wrong, size_, flags, given = world.choice(
            (calls.INVALID_BUFFER_SIZE, 0, 0, None), (calls.INVALID_VALUE, size_, calls.READ_WRITE | calls.READ_ONLY, None),
            (calls.INVALID_HOST_PTR, size_, calls.COPY_HOST_PTR, None), (calls.INVALID_HOST_PTR, size_, 0, contents),
            (calls.INVALID_VALUE, size_, calls.USE_HOST_PTR | calls.COPY_HOST_PTR, contents))
        how = 0
    place = None if given is None else world.cl.place_of(given)
    found, code = world.cl.make("clCreateBuffer", c_void_p(context.handle), c_uint64(flags | how), size(size_), place)
    world.say(f"clCreateBuffer flags {flags | how:#x} of {size_} bytes gives {code}")
    world.check(code, wrong, "clCreateBuffer")
    if not found:
        return
    made = Memory(found, Root(context, contents), 0, size_, flags | how, host=given if how & calls.USE_HOST_PTR else None)
    world.kept.append(contents)
    if how & calls.COPY_HOST_PTR and given is not None:
        given[:] = 0xEE
    world.buffers.append(made)
    if given is None:
        pattern = world.data(UNIT)
        made.model[:] = 0
        give_fill(world, world.any_queue(context), made, pattern, 0, size_, is_first=True)
    if world.chance(0.4):
        note_end(world, made)


def note_end(world: World, memory: Any) -> None:
    ended = memory.ended

    def called(handle: int, data: object) -> None:
        ended.append(handle)

    world.kept.append(function := calls.MEMORY_CALLBACK(called))
    memory.wanted_ends += 1
    world.check(world.cl.code("clSetMemObjectDestructorCallback", c_void_p(memory.handle), function, None), 0, "clSetMemObjectDestructorCallback")


def make_part(world: World) -> None:
    whole = world.one_of(each for each in world.buffers if each.parent is None)
    if whole is None or len(world.buffers) > 18:
        return
    start, end = world.span(whole.size, UNIT)
    if start % 512:
        start = start // 512 * 512
    region, wrong = (start, end - start), 0
    if world.errs(0.1):
        wrong, region = world.choice((calls.INVALID_VALUE, (0, whole.size + 1)), (calls.INVALID_BUFFER_SIZE, (0, 0)), (calls.INVALID_VALUE, (whole.size, 1)),
                                     (calls.INVALID_VALUE, (1 << 63, 1 << 63)))
    found, code = world.cl.make("clCreateSubBuffer", c_void_p(whole.handle), c_uint64(0), c_uint(0x1220), calls.sizes(*region))
    world.say(f"clCreateSubBuffer {region} of {world.buffers.index(whole)} gives {code}")
    world.check(code, wrong, "clCreateSubBuffer")
    if found:
        made = Memory(found, whole.root, start, end - start, whole.flags, whole)
        whole.parts += 1
        world.buffers.append(made)
        if world.chance(0.3):
            note_end(world, made)


def release(world: World) -> None:
    """While commands may still use it."""
    memory = world.one_of(each for each in world.buffers if not each.maps)
    if memory is None or len(world.buffers) < 4 or any(region.memory.root is memory.root for region in world.regions if isinstance(region.memory, Memory)):
        return
    if world.chance(0.3):
        world.check(world.cl.code("clRetainMemObject", c_void_p(memory.handle)), 0, "clRetainMemObject")
        memory.references += 1
        return
    world.say(f"clReleaseMemObject {world.buffers.index(memory)} of {memory.references}")
    world.check(world.cl.code("clReleaseMemObject", c_void_p(memory.handle)), 0, "clReleaseMemObject")
    memory.references -= 1
    if not memory.references:
        world.buffers.remove(memory)
        world.ends.append(memory)
        for kernel in world.kernels:
            kernel.forget(memory)


def use(memory: Memory, start: int, end: int, writes: bool) -> tuple[Root, int, int, bool]:
    return memory.root, memory.start + start, memory.start + end, writes


def free(world: World, memory: Memory, start: int, end: int, writes: bool) -> bool:
    return world.free(memory.root, memory.start + start, memory.start + end, writes)


def any_buffer(world: World, context: Context | None = None) -> Memory | None:
    return world.one_of(each for each in world.buffers if context in (None, each.root.context))


def give_fill(world: World, queue: Queue, memory: Memory, pattern: np.ndarray, start: int, end: int, wrong: int = 0, is_first: bool = False) -> None:
    def apply() -> None:
        memory.model[start:end] = np.tile(pattern, (end - start) // len(pattern))

    world.kept.append(pattern)
    world.say(f"fill {start}..{end} of {world.buffers.index(memory)} by {len(pattern)}")
    given = pattern.copy()
    world.enqueue("clEnqueueFillBuffer", queue, (c_void_p(memory.handle), c_void_p(given.ctypes.data), size(len(pattern)), size(start), size(end - start)),
                  [use(memory, start, end, True)], apply, wrong=wrong, is_first=is_first)
    given[:] = 0xEE  # "can be reused"


def fill(world: World) -> None:
    memory = any_buffer(world)
    if memory is None:
        return
    unit = world.choice(1, 2, 4, 8, 16, 32, 64, 128)
    start, end = world.span(memory.size, unit)
    if not free(world, memory, start, end, True):
        return
    pattern, wrong = world.data(unit), 0
    if world.errs(0.06):
        wrong = calls.INVALID_VALUE
        if unit > 1 and world.chance(0.5):
            start, end = start + 1, end + 1
        else:
            start, end = world.choice((memory.size, memory.size + unit), (0, memory.size + unit))
    give_fill(world, world.any_queue(memory.root.context), memory, pattern, start, end, wrong)


def free_part(world: World, writes: bool) -> tuple[Memory, int, int] | None:
    """Bytes of a buffer that a command may use now."""
    memory = any_buffer(world)
    if memory is None:
        return None
    start, end = world.span(memory.size)
    return (memory, start, end) if free(world, memory, start, end, writes) else None


def read(world: World) -> None:
    part = free_part(world, False)
    if part is None:
        return
    memory, start, end = part
    found, blocks, wrong = np.full(end - start, 0xAA, np.uint8), world.chance(0.4), 0
    if memory.flags & NOT_READ:
        wrong = calls.INVALID_OPERATION
    place, at, count = found.ctypes.data, start, end - start
    if not wrong and world.errs(0.05):
        wrong = calls.INVALID_VALUE
        place, at, count = world.choice((0, at, count), (place, memory.size, count), (place, at, (1 << 64) - 1), (place, (1 << 64) - 1, 2))
    command = world.enqueue("clEnqueueReadBuffer", world.any_queue(memory.root.context), (
        c_void_p(memory.handle), c_uint(blocks), size(at), size(count), c_void_p(place)), [use(memory, start, end, False)], blocks=blocks, wrong=wrong)
    world.say(f"  of {start}..{end} of {world.buffers.index(memory)}")
    note_reading(world, command, found, memory.model[start:end].copy(), blocks)


def note_reading(world: World, command: Any, found: np.ndarray, expected: np.ndarray, blocks: bool) -> None:
    if command.runs and blocks:
        assert np.array_equal(found, expected), f"what was read differs from byte {np.flatnonzero(found != expected)[0]} on"
        return
    if not command.runs:
        expected = found.copy()
    if command.event is not None:
        world.readings.append(Reading(command.event, found, expected))


def write(world: World) -> None:
    part = free_part(world, True)
    if part is None:
        return
    memory, start, end = part
    data, blocks, wrong = world.data(end - start), world.chance(0.4), 0
    if memory.flags & NOT_WRITTEN:
        wrong = calls.INVALID_OPERATION
    place, at, count = data.ctypes.data, start, end - start
    if not wrong and world.errs(0.05):
        wrong = calls.INVALID_VALUE
        place, at, count = world.choice((0, at, count), (place, memory.size, count), (place, at, (1 << 64) - 1), (place, (1 << 64) - 1, 2))
    contents = data.copy()

    def apply() -> None:
        memory.model[start:end] = contents

    world.kept.append(data)
    world.enqueue("clEnqueueWriteBuffer", world.any_queue(memory.root.context), (
        c_void_p(memory.handle), c_uint(blocks), size(at), size(count), c_void_p(place)), [use(memory, start, end, True)], apply, blocks=blocks, wrong=wrong)
    world.say(f"  to {start}..{end} of {world.buffers.index(memory)}")
    if blocks:
        data[:] = 0xEE


def two(world: World) -> tuple[Memory | None, Memory | None]:
    source = any_buffer(world)
    return source, None if source is None else any_buffer(world, source.root.context)


def copy(world: World) -> None:
    source, target = two(world)
    if source is None or target is None:
        return
    count = world.choice(1, 3, 4, 64, 128, min(source.size, target.size), world.random.randint(1, min(source.size, target.size)))
    count = min(count, source.size, target.size)
    start, goal = world.random.randrange(source.size - count + 1), world.random.randrange(target.size - count + 1)
    if not (free(world, source, start, start + count, False) and free(world, target, goal, goal + count, True)):
        return
    overlaps = source.root is target.root and abs(source.start + start - target.start - goal) < count
    wrong = 0
    if overlaps:
        if source is not target:
            return  # by parts of the same buffer: an error that few find
        wrong = calls.COPY_OVERLAP
    elif world.errs(0.04):
        wrong, count = calls.INVALID_VALUE, max(source.size, target.size) + 1

    def apply() -> None:
        target.model[goal : goal + count] = source.model[start : start + count]

    world.say(f"copy {count} from {start} of {world.buffers.index(source)} to {goal} of {world.buffers.index(target)}")
    world.enqueue("clEnqueueCopyBuffer", world.any_queue(source.root.context), (
        c_void_p(source.handle), c_void_p(target.handle), size(start), size(goal), size(count)),
        [use(source, start, start + count, False), use(target, goal, goal + count, True)], apply, wrong=wrong)


def layout(world: World, whole: int, region: tuple[int, int, int]) -> tuple[tuple[int, int, int], int, int, np.ndarray] | None:
    """An origin, pitches and the places of a rectangle's bytes within so many, or None where it has no room."""
    width, rows, planes = region
    pitch = width + world.choice(0, 0, 1, 5, 64)
    slice_ = pitch * rows + world.choice(0, 0, pitch, 3 * pitch) if planes > 1 else pitch * rows
    origin = (world.choice(0, 0, 1, min(3, pitch - 1)), world.choice(0, 0, 1, 2), world.choice(0, 0, 0, 1))
    if origin[0] + width > pitch:
        origin = (0, *origin[1:])
    places = ((origin[2] + np.arange(planes))[:, None, None] * slice_ + (origin[1] + np.arange(rows))[None, :, None] * pitch
              + origin[0] + np.arange(width)).reshape(-1)
    return (origin, pitch, slice_, places) if places[-1] < whole else None


def any_region(world: World) -> tuple[int, int, int]:
    return world.random.randint(1, 70), world.random.randint(1, 6), world.choice(1, 1, 2, 3)


def rectangle(world: World) -> None:
    """Between a buffer and the host."""
    memory, region, reads = any_buffer(world), any_region(world), world.chance(0.5)
    if memory is None or memory.flags & (NOT_READ if reads else NOT_WRITTEN):
        return
    there, host = layout(world, memory.size, region), layout(world, 4096, region)
    if there is None or host is None:
        return
    start, end = int(there[3][0]), int(there[3][-1]) + 1
    if not free(world, memory, start, end, not reads):
        return
    data, blocks, wrong = world.data(4096), world.chance(0.4), 0
    pitches = [there[1], there[2], host[1], host[2]]
    given = list(region)
    if world.errs(0.06):
        wrong = calls.INVALID_VALUE
        if world.chance(0.5):
            pitches[world.choice(0, 2)] = region[0] - 1 or region[0] + (1 << 62)
        else:
            given[1] = 1 << 40
    contents = data.copy()

    def apply() -> None:
        if not reads:
            memory.model[there[3]] = contents[host[3]]

    world.kept.append(data)
    world.say(f"rectangle {region} at {there[:3]} of {world.buffers.index(memory)}, host {host[:3]}")
    command = world.enqueue(f"clEnqueue{'Read' if reads else 'Write'}BufferRect", world.any_queue(memory.root.context), (
        c_void_p(memory.handle), c_uint(blocks), calls.sizes(*there[0]), calls.sizes(*host[0]), calls.sizes(*given), *map(size, pitches),
        c_void_p(data.ctypes.data)), [use(memory, start, end, not reads)], apply, blocks=blocks, wrong=wrong)
    if reads:
        contents[host[3]] = memory.model[there[3]]
        if command.event is None or not command.runs:
            contents = data.copy()
        note_reading(world, command, data, contents, blocks)


def copy_rectangle(world: World) -> None:
    (source, target), region = two(world), any_region(world)
    if source is None or target is None or source.root is target.root:
        return
    here, there = layout(world, source.size, region), layout(world, target.size, region)
    if here is None or there is None:
        return
    a, b, c, d = int(here[3][0]), int(here[3][-1]) + 1, int(there[3][0]), int(there[3][-1]) + 1
    if not (free(world, source, a, b, False) and free(world, target, c, d, True)):
        return

    def apply() -> None:
        target.model[there[3]] = source.model[here[3]]

    world.say(f"rectangle {region} from {here[:3]} of {world.buffers.index(source)} to {there[:3]} of {world.buffers.index(target)}")
    world.enqueue("clEnqueueCopyBufferRect", world.any_queue(source.root.context), (
        c_void_p(source.handle), c_void_p(target.handle), calls.sizes(*here[0]), calls.sizes(*there[0]), calls.sizes(*region),
        size(here[1]), size(here[2]), size(there[1]), size(there[2])), [use(source, a, b, False), use(target, c, d, True)], apply)


def map_(world: World) -> None:
    memory = any_buffer(world)
    if memory is None or len(world.regions) > 4:
        return
    flags = world.choice(calls.MAP_READ, calls.MAP_READ, calls.MAP_WRITE, calls.MAP_READ | calls.MAP_WRITE, calls.MAP_INVALIDATE)
    start, end = world.span(memory.size)
    writes, wrong, blocks = flags != calls.MAP_READ, 0, world.chance(0.5)
    if not free(world, memory, start, end, writes):
        return
    if memory.flags & (NOT_READ if flags & calls.MAP_READ else 0) or (writes and memory.flags & NOT_WRITTEN):
        wrong = calls.INVALID_OPERATION
    count = end - start
    if not wrong and world.errs(0.05):
        wrong, flags, count = calls.INVALID_VALUE, *world.choice((flags, memory.size + 1), (calls.MAP_READ | calls.MAP_INVALIDATE, count), (1 << 9, count))
    world.say(f"map {start}..{end} of {world.buffers.index(memory)} flags {flags}")
    command = world.enqueue("clEnqueueMapBuffer", world.any_queue(memory.root.context), (
        c_void_p(memory.handle), c_uint(blocks), c_uint64(flags), size(start), size(count)), [use(memory, start, end, writes)], blocks=blocks,
        wrong=wrong, makes=True, may_fail=False)
    if not command.event or not command.address:
        assert wrong or not command.event, "clEnqueueMapBuffer gives no address"
        return
    place = (memory.start + start, memory.start + end, writes)
    memory.root.mapped.append(place)
    memory.maps += 1
    region = Region(memory, command.address, place, command.event, np.arange(memory.start + start, memory.start + end), np.arange(end - start),
                    writes, flags == calls.MAP_INVALIDATE)
    world.regions.append(region)
    if memory.host is not None:
        world.check(command.address, memory.host.ctypes.data + start, "the address in memory of the host's")
    if blocks:
        look(world, region)


def look(world: World, region: Region) -> None:
    """At what is mapped, when the command has ended; what is to be written is written then."""
    found = np.ctypeslib.as_array((np.ctypeslib.ctypes.c_uint8 * (int(region.rows.max()) + 1)).from_address(region.address))
    model = region.memory.root.model
    if not region.invalidates:
        assert np.array_equal(found[region.rows], model[region.bytes]), "a mapped region differs from the model"
    if region.writes:
        data = world.data(len(region.rows))
        found[region.rows] = data
        model[region.bytes] = data
    region.is_looked_at = True


def unmap(world: World) -> None:
    region = world.one_of(world.regions)
    if region is None:
        return
    # Of several that begin at one address nobody can tell which is meant: cl2cuda takes the one mapped last.
    region = [each for each in world.regions if each.memory is region.memory and each.address == region.address][-1]
    if not region.is_looked_at:
        world.open_gates()
        world.end_opening()
        world.check(world.cl.code("clWaitForEvents", c_uint(1), calls.pointers([region.event.handle])), 0, "clWaitForEvents")
        look(world, region)
    memory, (start, end, writes) = region.memory, region.place
    address, wrong = region.address, 0
    if world.errs(0.05):
        wrong, address = calls.INVALID_VALUE, world.choice(0, 1 << 40)
    handle = getattr(memory, "handle", None)
    world.say(f"unmap {start}..{end}")
    if handle is None:
        wrong, address = 0, region.address
        command = world.enqueue("clEnqueueSVMUnmap", world.any_queue(memory.root.context), (c_void_p(address),), [(memory.root, start, end, writes)],
                                may_fail=False)
    else:
        command = world.enqueue("clEnqueueUnmapMemObject", world.any_queue(memory.root.context), (c_void_p(handle), c_void_p(address)),
                                [(memory.root, start, end, writes)], wrong=wrong, may_fail=False)
    if command.event is not None:
        world.regions.remove(region)
        memory.root.mapped.remove(region.place)
        memory.maps -= 1


def migrate(world: World) -> None:
    memory = any_buffer(world)
    if memory is None or memory.root.mapped:
        return
    flags, wrong = world.choice((0, 0), (1, 0), (1 << 7, calls.INVALID_VALUE))
    world.enqueue("clEnqueueMigrateMemObjects", world.any_queue(memory.root.context), (c_uint(1), calls.pointers([memory.handle]), c_uint64(flags)),
                  [use(memory, 0, memory.size, False)], wrong=wrong)


def check(world: World, memory: Memory) -> None:
    """When all has ended."""
    if not world.free(memory.root, memory.start, memory.start + memory.size, False):
        return
    found, handle = np.full(memory.size, 0xAA, np.uint8), memory.handle
    name = f"buffer {world.buffers.index(memory)}" + (f", a part of {world.buffers.index(memory.parent)}" if memory.parent in world.buffers else "")
    queue = world.any_queue(memory.root.context)
    if memory.flags & NOT_READ:
        handle = world.cl.made("clCreateBuffer", c_void_p(memory.root.context.handle), c_uint64(0), size(memory.size), None)
        world.check(world.cl.code("clEnqueueCopyBuffer", c_void_p(queue.handle), c_void_p(memory.handle), c_void_p(handle), size(0), size(0),
                                  size(memory.size), c_uint(0), None, None), 0, "clEnqueueCopyBuffer")
        world.check(world.cl.code("clFinish", c_void_p(queue.handle)), 0, "clFinish")
    world.check(world.cl.code("clEnqueueReadBuffer", c_void_p(queue.handle), c_void_p(handle), c_uint(1), size(0), size(memory.size),
                              c_void_p(found.ctypes.data), c_uint(0), None, None), 0, "clEnqueueReadBuffer")
    if handle != memory.handle:
        world.check(world.cl.code("clReleaseMemObject", c_void_p(handle)), 0, "clReleaseMemObject")
    if not np.array_equal(found, memory.model):
        different = np.flatnonzero(found != memory.model)
        raise AssertionError(f"{name} differs from the model in {len(different)} of {memory.size} bytes, from {different[0]} to {different[-1]}: "
                             f"{found[different[:8]]}, and not {memory.model[different[:8]]}")
    for what, wanted in ((calls.MEM_COUNT, memory.references), (calls.MEM_MAPS, len(memory.root.mapped))):
        world.check_count("clGetMemObjectInfo", memory.handle, what, wanted)
    for what, wanted in ((calls.MEM_SIZE, memory.size), (calls.MEM_OFFSET, memory.start)):
        world.check(world.cl.answer("clGetMemObjectInfo", memory.handle, what, calls.c_size_t), (wanted, 0), f"clGetMemObjectInfo {what:#x} of {name}")


COMMANDS = [(6, make), (4, make_part), (5, release), (10, read), (10, write), (10, fill), (10, copy), (8, rectangle), (6, copy_rectangle), (8, map_),
            (9, unmap), (2, migrate)]
