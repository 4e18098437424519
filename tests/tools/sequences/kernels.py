"""Kernels, their arguments and launches."""

from __future__ import annotations

from ctypes import byref, c_int, c_uint, c_void_p
from dataclasses import dataclass, field
from typing import Any

import calls
import numpy as np
from calls import size
from world import Context, Memory, World

# The places of a kernel's arguments, and what stands there.
PLACES = {"add": ("written", "number"), "mix": ("read", "written", "number")}


@dataclass(eq=False)
class Kernel:
    handle: int
    name: str
    context: Context
    arguments: dict[int, Any] = field(default_factory=dict)  # a Memory, a Shared with its first byte, a number, or None of memory that is gone

    def forget(self, memory: Any) -> None:
        for place, value in self.arguments.items():
            if value is memory or (isinstance(value, tuple) and value[0] is memory):
                self.arguments[place] = None


def make(world: World) -> None:
    if len(world.kernels) > 5:
        return
    original = world.one_of(world.kernels)
    if original is not None and world.chance(0.4):
        found, code = world.cl.make("clCloneKernel", c_void_p(original.handle))
        world.check(code, 0, "clCloneKernel")
        world.kernels.append(Kernel(found, original.name, original.context, dict(original.arguments)))
        world.say(f"clCloneKernel {original.name} with {sorted(original.arguments)}")
        return
    context, name = world.choice(*world.contexts), world.choice("add", "mix")
    if world.errs(0.05):
        found, code = world.cl.make("clCreateKernel", c_void_p(context.program), b"none")
        world.check(code, -46, "clCreateKernel")
        return
    world.kernels.append(Kernel(world.cl.made("clCreateKernel", c_void_p(context.program), name.encode()), name, context))
    world.say(f"clCreateKernel {name}")


def release(world: World) -> None:
    kernel = world.one_of(world.kernels)
    if kernel is not None and len(world.kernels) > 2:
        world.kernels.remove(kernel)
        world.check_count("clGetKernelInfo", kernel.handle, calls.KERNEL_COUNT, 1)
        world.check(world.cl.code("clReleaseKernel", c_void_p(kernel.handle)), 0, "clReleaseKernel")
        world.say("clReleaseKernel")


def may_be(memory: Memory, kind: str) -> bool:
    return not memory.flags & (calls.WRITE_ONLY if kind == "read" else calls.READ_ONLY)


def set_argument(world: World, kernel: Kernel, place: int) -> None:
    kind = PLACES[kernel.name][place]
    code, wrong = world.cl.code, 0
    if kind == "number":
        value = world.random.getrandbits(31)
        number, length = c_int(value), 4
        if world.errs(0.05):
            wrong, length = calls.INVALID_ARG_SIZE, world.choice(1, 3, 8)
        given = byref(number)
        if not wrong and world.errs(0.03):
            wrong, given = calls.INVALID_ARG_VALUE, None
        found = code("clSetKernelArg", c_void_p(kernel.handle), c_uint(place), size(length), given)
    elif world.chance(0.3) and (shared := world.one_of(each for each in world.shared if each.root.context is kernel.context)):
        start = 4 * world.random.randrange(len(shared.root.model) // 4) if world.chance(0.4) else 0
        value = (shared, start)
        found = code("clSetKernelArgSVMPointer", c_void_p(kernel.handle), c_uint(place), c_void_p(shared.address + start))
    else:
        value = world.one_of(each for each in world.buffers if each.root.context is kernel.context and may_be(each, kind))
        if value is None:
            return
        given, at = c_void_p(value.handle), place
        if world.errs(0.06):
            wrong, at, given = world.choice((calls.INVALID_ARG_INDEX, 9, given), (calls.INVALID_MEM_OBJECT, place, c_void_p(kernel.handle)))
        found = code("clSetKernelArg", c_void_p(kernel.handle), c_uint(at), size(8), byref(given))
    world.check(found, wrong, f"clSetKernelArg {kind}")
    if not wrong:
        kernel.arguments[place] = value


def bytes_of(value: Any) -> tuple[Any, int, int]:
    """The root, and where the argument begins and ends in it."""
    if isinstance(value, Memory):
        return value.root, value.start, value.start + value.size
    shared, start = value
    return shared.root, start, len(shared.root.model)


def launch(world: World) -> None:
    kernel = world.one_of(world.kernels)
    if kernel is None:
        return
    kinds = PLACES[kernel.name]
    for place in world.random.sample(range(len(kinds)), len(kinds)):
        if kernel.arguments.get(place) is None or world.chance(0.5):
            set_argument(world, kernel, place)
    values = [kernel.arguments.get(place) for place in range(len(kinds))]
    queue, wrong = world.any_queue(kernel.context), 0
    if None in values:
        if None in kernel.arguments.values():
            return
        world.say(f"launch {kernel.name} without all arguments")
        world.enqueue("clEnqueueNDRangeKernel", queue, (c_void_p(kernel.handle), c_uint(1), None, calls.sizes(4), None), wrong=calls.INVALID_KERNEL_ARGS)
        return
    places = [bytes_of(value) for value in values[:-1]]
    most = min(end - start for _, start, end in places) // 4
    count = world.choice(1, most, world.random.randint(1, most), most // 32 * 32 or 1)
    if not world.facts.has_offsets and count > 256:
        count = count // 256 * 256  # else the last ones are a launch of their own
    offset = world.random.randint(0, most - count) if world.facts.has_offsets and world.chance(0.3) else 0
    local = world.one_of(each for each in (1, 2, 4, 8, 32, 64, 256) if count % each == 0) if world.chance(0.4) else None
    uses = [(root, start + 4 * offset, start + 4 * (offset + count), kind == "written") for (root, start, _), kind in zip(places, kinds, strict=False)]
    if not all(world.free(*each) for each in uses):
        return
    if len(uses) == 2 and uses[0][0] is uses[1][0] and uses[0][1] < uses[1][2] and uses[1][1] < uses[0][2]:
        return
    dimensions, sizes, start = 1, [count], [offset]
    if world.errs(0.05):
        wrong, dimensions, local = world.choice((calls.INVALID_WORK_DIMENSION, 0, local), (calls.INVALID_WORK_DIMENSION, 4, None),
                                                (calls.INVALID_WORK_GROUP_SIZE, 1, next(n for n in range(2, 300) if count % n)))
    number = np.uint32(values[-1])

    def apply() -> None:
        words = [root.model[a:b].view(np.uint32) for root, a, b, _ in uses]
        with np.errstate(over="ignore"):
            if kernel.name == "add":
                words[0] += number
            else:
                words[1][:] = words[1] * np.uint32(2654435761) + (words[0] ^ number)

    world.say(f"launch {kernel.name} {count} from {offset} local {local} of {[(a, b) for _, a, b, _ in uses]} "
              f"{[world.buffers.index(value) if isinstance(value, Memory) else 'shared' for value in values[:-1]]} by {number}")
    world.enqueue("clEnqueueNDRangeKernel", queue, (
        c_void_p(kernel.handle), c_uint(dimensions), calls.sizes(*start) if offset or world.chance(0.2) else None, calls.sizes(*sizes),
        None if local is None else calls.sizes(local)), uses, apply, wrong=wrong)


COMMANDS = [(4, make), (1, release), (16, launch)]
