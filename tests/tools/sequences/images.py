"""Images of all types, whose elements are moved as they are."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import dataclass, field

import buffers
import calls
import numpy as np
from calls import size
from world import Memory, Region, Root, World

IMAGE2D, IMAGE3D, ARRAY2D, IMAGE1D, ARRAY1D, BUFFER1D = range(0x10F1, 0x10F7)
R, RG, RGBA = 0x10B0, 0x10B2, 0x10B5
SIGNED8, SIGNED32, UNSIGNED8, UNSIGNED16, UNSIGNED32, FLOAT = 0x10D7, 0x10D9, 0x10DA, 0x10DB, 0x10DC, 0x10DE
TYPES = {SIGNED8: np.int8, SIGNED32: np.int32, UNSIGNED8: np.uint8, UNSIGNED16: np.uint16, UNSIGNED32: np.uint32, FLOAT: np.float32}
CHANNELS = {R: 1, RG: 2, RGBA: 4}


class Description(ctypes.Structure):
    _fields_ = [("kind", c_uint), *[(name, c_size_t) for name in ("width", "height", "depth", "layers", "row", "slice")],
                ("levels", c_uint), ("samples", c_uint), ("memory", c_void_p)]


@dataclass(eq=False)
class Image:
    handle: int
    root: Root
    kind: int
    shape: tuple[int, int, int]  # as regions are: width, height, depth
    order: int
    type: int
    flags: int
    start: int = 0  # in the root, where a buffer is that the image is made of
    parent: Memory | None = None
    maps: int = 0
    references: int = 1
    ended: list[int] = field(default_factory=list)
    wanted_ends: int = 0

    @property
    def element(self) -> int:
        return CHANNELS[self.order] * np.dtype(TYPES[self.type]).itemsize

    @property
    def model(self) -> np.ndarray:
        return self.rows(self.root.model)

    @property
    def size(self) -> int:
        width, height, depth = self.shape
        return width * height * depth * self.element

    def rows(self, root: np.ndarray) -> np.ndarray:
        width, height, depth = self.shape
        return root[self.start : self.start + self.size].reshape(depth, height, width * self.element)

    def box(self, origin: tuple[int, ...], region: tuple[int, ...]) -> tuple[slice, slice, slice]:
        (x, y, z), (width, height, depth) = origin, region
        return slice(z, z + depth), slice(y, y + height), slice(x * self.element, (x + width) * self.element)

    def use(self, origin: tuple[int, ...], region: tuple[int, ...], writes: bool) -> tuple[Root, int, int, bool]:
        places = self.rows(np.arange(len(self.root.model)))[self.box(origin, region)]
        return self.root, int(places.min()), int(places.max()) + 1, writes


def make(world: World) -> None:
    if len(world.images) > 7:
        return
    context, kind = world.choice(*world.contexts), world.choice(IMAGE2D, IMAGE2D, IMAGE3D, ARRAY2D, IMAGE1D, ARRAY1D)
    width, height, depth = world.choice(1, 5, 16, 33), world.choice(1, 3, 16, 20), world.choice(1, 2, 5)
    shape = {IMAGE2D: (width, height, 1), IMAGE3D: (width, height, depth), ARRAY2D: (width, height, depth), IMAGE1D: (width, 1, 1),
             ARRAY1D: (width, height, 1)}[kind]
    order, type_ = world.choice(R, RG, RGBA), world.choice(*TYPES)
    flags = world.choice(0, calls.READ_WRITE, calls.READ_ONLY) | world.choice(0, 0, 0, calls.HOST_READ_ONLY, calls.HOST_WRITE_ONLY)
    description = Description(kind, width, height if kind in (IMAGE2D, IMAGE3D, ARRAY2D) else 0, depth if kind == IMAGE3D else 0,
                              depth if kind == ARRAY2D else height if kind == ARRAY1D else 0)
    made = Image(0, Root(context, np.zeros(0, np.uint8)), kind, shape, order, type_, flags)
    made.root.model = contents = world.data(made.element * shape[0] * shape[1] * shape[2])
    given, wrong = contents.copy(), 0
    if world.errs(0.06):
        wrong = world.choice(calls.INVALID_HOST_PTR, -40, -65)
        if wrong == -40:
            description.width = 0
        elif wrong == -65:
            description.kind = 7
    found, code = world.cl.make("clCreateImage", c_void_p(context.handle), c_uint64(flags | calls.COPY_HOST_PTR), (c_uint * 2)(order, type_),
                                byref(description), None if wrong == calls.INVALID_HOST_PTR else c_void_p(given.ctypes.data))
    world.say(f"clCreateImage {kind:#x} of {shape} {order:#x} {type_:#x} {flags:#x} gives {code}")
    if wrong not in (-40, -65):
        world.check(code, wrong, "clCreateImage")
    else:
        assert code in (-40, -65), f"clCreateImage: {code}"
    if found:
        made.handle = found
        given[:] = 0xEE
        world.images.append(made)
        if world.chance(0.3):
            buffers.note_end(world, made)


def make_of_buffer(world: World) -> None:
    """An image of a buffer's elements, or of a part's."""
    memory = world.one_of(each for each in world.buffers if each.size <= 8 << 10 and not each.root.mapped)
    if memory is None or len(world.images) > 9 or memory.flags & (calls.HOST_WRITE_ONLY | calls.HOST_READ_ONLY | calls.HOST_NO_ACCESS):
        return
    order, type_ = world.choice(R, RGBA), world.choice(*TYPES)
    made = Image(0, memory.root, BUFFER1D, (1, 1, 1), order, type_, 0, memory.start, memory)
    made.shape = (memory.size // made.element, 1, 1)
    description = Description(BUFFER1D, made.shape[0], memory=memory.handle)
    made.handle, code = world.cl.make("clCreateImage", c_void_p(memory.root.context.handle), c_uint64(0), (c_uint * 2)(order, type_),
                                      byref(description), None)
    world.say(f"clCreateImage of buffer {world.buffers.index(memory)}, {order:#x} {type_:#x} gives {code}")
    world.check(code, 0, "clCreateImage")
    world.images.append(made)
    if world.chance(0.3):
        buffers.note_end(world, made)


def release(world: World) -> None:
    image = world.one_of(each for each in world.images if not each.maps)
    if image is not None and len(world.images) > 2:
        world.say(f"release image {world.images.index(image)}")
        world.check(world.cl.code("clReleaseMemObject", c_void_p(image.handle)), 0, "clReleaseMemObject")
        world.images.remove(image)
        world.ends.append(image)


def any_box(world: World, shape: tuple[int, ...], most: tuple[int, ...] | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if most is None and world.chance(0.25):
        return (0, 0, 0), shape
    region = tuple(world.random.randint(1, min(limit, other)) for limit, other in zip(shape, most or shape, strict=True))
    return tuple(world.random.randrange(limit - count + 1) for limit, count in zip(shape, region, strict=True)), region


def transfer(world: World) -> None:
    """Between an image and the host."""
    image, reads, blocks = world.one_of(world.images), world.chance(0.5), world.chance(0.5)
    if image is None:
        return
    origin, region = any_box(world, image.shape)
    use = image.use(origin, region, not reads)
    if not world.free(*use):
        return
    row = region[0] * image.element
    pitch = row + world.choice(0, 0, image.element, 3 * image.element) if world.chance(0.5) else 0
    layered = image.kind in (IMAGE3D, ARRAY2D)
    slice_ = (pitch or row) * (region[1] + world.choice(0, 0, 2)) if layered and world.chance(0.4) else 0
    if image.kind == ARRAY1D and world.chance(0.4):
        slice_ = pitch = pitch or row
    rows = (np.arange(region[2])[:, None, None] * (slice_ if layered and slice_ else (pitch or row) * region[1])
            + np.arange(region[1])[None, :, None] * (pitch or row) + np.arange(row)).reshape(-1)
    if image.kind == ARRAY1D:
        slice_ = slice_ and pitch
    data, wrong, given, box = world.data(int(rows[-1]) + 1), 0, pitch, origin
    refused = buffers.NOT_READ if reads else buffers.NOT_WRITTEN
    if image.flags & refused:
        wrong = calls.INVALID_OPERATION
    elif world.errs(0.06):
        wrong, given, box = calls.INVALID_VALUE, *world.choice((row - 1, origin) if row > 1 else (pitch, image.shape), (pitch, image.shape))
    contents = data.copy()
    where = image.box(origin, region)

    def apply() -> None:
        if not reads:
            image.model[where] = contents[rows].reshape(image.model[where].shape)

    world.kept.append(data)
    world.say(f"{'read' if reads else 'write'} image {world.images.index(image)} {origin} {region} pitches {given} {slice_}")
    command = world.enqueue(f"clEnqueue{'Read' if reads else 'Write'}Image", world.any_queue(image.root.context), (
        c_void_p(image.handle), c_uint(blocks), calls.sizes(*box), calls.sizes(*region), size(given), size(slice_), c_void_p(data.ctypes.data)), [use],
        apply, blocks=blocks, wrong=wrong)
    if reads:
        if command.runs:
            contents[rows] = image.model[where].reshape(-1)
        buffers.note_reading(world, command, data, contents, blocks)
    elif blocks:
        data[:] = 0xEE


def fill(world: World) -> None:
    image = world.one_of(world.images)
    if image is None:
        return
    origin, region = any_box(world, image.shape)
    use = image.use(origin, region, True)
    if not world.free(*use):
        return
    numbers = [world.random.randrange(100) for _ in range(4)]
    kind = c_float if image.type == FLOAT else c_uint if image.type in (UNSIGNED8, UNSIGNED16, UNSIGNED32) else c_int
    element = np.array(numbers[: CHANNELS[image.order]], TYPES[image.type]).view(np.uint8)
    where = image.box(origin, region)

    def apply() -> None:
        image.model[where] = np.tile(element, region[0])

    world.say(f"fill image {world.images.index(image)} {origin} {region} by {numbers}")
    wrong, box = (calls.INVALID_VALUE, image.shape) if world.errs(0.05) else (0, origin)
    world.enqueue("clEnqueueFillImage", world.any_queue(image.root.context), (
        c_void_p(image.handle), (kind * 4)(*numbers), calls.sizes(*box), calls.sizes(*region)), [use], apply, wrong=wrong)


def copy(world: World) -> None:
    source = world.one_of(world.images)
    target = source and world.one_of(each for each in world.images if each.root.context is source.root.context and each is not source)
    if source is None or target is None:
        return
    origin, region = any_box(world, source.shape, target.shape)
    goal, _ = any_box(world, target.shape, region)
    goal = tuple(min(place, limit - count) for place, limit, count in zip(goal, target.shape, region, strict=True))
    uses = [source.use(origin, region, False), target.use(goal, region, True)]
    if source.root is target.root:
        return
    if not all(world.free(*use) for use in uses) or ARRAY1D in (source.kind, target.kind):
        return
    wrong = 0 if (source.order, source.type) == (target.order, target.type) else -9
    if wrong and world.chance(0.8):
        return

    def apply() -> None:
        target.model[target.box(goal, region)] = source.model[source.box(origin, region)]

    world.say(f"copy image {world.images.index(source)} {origin} to {world.images.index(target)} {goal} {region}")
    world.enqueue("clEnqueueCopyImage", world.any_queue(source.root.context), (
        c_void_p(source.handle), c_void_p(target.handle), calls.sizes(*origin), calls.sizes(*goal), calls.sizes(*region)), uses, apply, wrong=wrong)


def exchange(world: World) -> None:
    """With a buffer."""
    image, to_image = world.one_of(world.images), world.chance(0.5)
    memory = image and buffers.any_buffer(world, image.root.context)
    if image is None or memory is None or image.root is memory.root:  # An error, where one was made of the other.
        return
    origin, region = any_box(world, image.shape)
    count = region[0] * region[1] * region[2] * image.element
    if count > memory.size:
        return
    start = world.choice(0, memory.size - count, world.random.randrange(memory.size - count + 1))
    uses = [image.use(origin, region, to_image), buffers.use(memory, start, start + count, not to_image)]
    if not all(world.free(*use) for use in uses):
        return
    where, wrong, at = image.box(origin, region), 0, start
    if world.errs(0.05):
        wrong, at = calls.INVALID_VALUE, memory.size - count + 1

    def apply() -> None:
        if to_image:
            image.model[where] = memory.model[start : start + count].reshape(image.model[where].shape)
        else:
            memory.model[start : start + count] = image.model[where].reshape(-1)

    world.say(f"image {world.images.index(image)} {origin} {region} {'from' if to_image else 'to'} {world.buffers.index(memory)} at {start}")
    box = (calls.sizes(*origin), calls.sizes(*region))
    ends = ((c_void_p(memory.handle), c_void_p(image.handle), size(at), *box) if to_image
            else (c_void_p(image.handle), c_void_p(memory.handle), *box, size(at)))
    world.enqueue(f"clEnqueueCopy{'BufferToImage' if to_image else 'ImageToBuffer'}", world.any_queue(image.root.context), ends, uses, apply, wrong=wrong)


def map_(world: World) -> None:
    image = world.one_of(world.images)
    if image is None or len(world.regions) > 4:
        return
    origin, region = any_box(world, image.shape)
    flags = world.choice(calls.MAP_READ, calls.MAP_READ, calls.MAP_WRITE, calls.MAP_READ | calls.MAP_WRITE, calls.MAP_INVALIDATE)
    writes, blocks, wrong = flags != calls.MAP_READ, world.chance(0.5), 0
    _, start, end, _ = use = image.use(origin, region, writes)
    if not world.free(*use):
        return
    if (image.flags & buffers.NOT_READ and flags & calls.MAP_READ) or (writes and image.flags & buffers.NOT_WRITTEN):
        wrong = calls.INVALID_OPERATION
    row, slice_ = c_size_t(), c_size_t()
    needs_slice = image.kind in (IMAGE3D, ARRAY2D, ARRAY1D)
    box, given_row = origin, byref(row)
    if not wrong and world.errs(0.06):
        wrong = calls.INVALID_VALUE
        if world.chance(0.5):
            box = image.shape
        else:
            given_row = None
    world.say(f"map image {world.images.index(image)} {origin} {region} flags {flags}")
    command = world.enqueue("clEnqueueMapImage", world.any_queue(image.root.context), (
        c_void_p(image.handle), c_uint(blocks), c_uint64(flags), calls.sizes(*box), calls.sizes(*region), given_row,
        byref(slice_) if needs_slice or world.chance(0.5) else None), [use], blocks=blocks, wrong=wrong, makes=True, may_fail=False)
    if command.event is None or not command.address:
        return
    place = (start, end, writes)
    image.root.mapped.append(place)
    image.maps += 1
    places = image.rows(np.arange(len(image.root.model)))[image.box(origin, region)].reshape(-1)
    step = slice_.value if image.kind == ARRAY1D else row.value
    rows = (np.arange(region[2])[:, None, None] * slice_.value + np.arange(region[1])[None, :, None] * step
            + np.arange(region[0] * image.element)).reshape(-1)
    world.regions.append(mapped := Region(image, command.address, place, command.event, places, rows, writes, flags == calls.MAP_INVALIDATE))
    if blocks:
        buffers.look(world, mapped)


def check(world: World, image: Image) -> None:
    if not world.free(image.root, image.start, image.start + image.size, False) or image.flags & buffers.NOT_READ:
        return
    found, queue = np.full(image.size, 0xAA, np.uint8), world.any_queue(image.root.context)
    world.check(world.cl.code("clEnqueueReadImage", c_void_p(queue.handle), c_void_p(image.handle), c_uint(1), calls.sizes(0, 0, 0), calls.sizes(*image.shape),
                              size(0), size(0), c_void_p(found.ctypes.data), c_uint(0), None, None), 0, "clEnqueueReadImage")
    wanted = image.model.reshape(-1)
    assert np.array_equal(found, wanted), f"image {world.images.index(image)} differs from the model at {np.flatnonzero(found != wanted)}"
    for what, wanted in ((calls.MEM_COUNT, image.references), (calls.MEM_MAPS, len(image.root.mapped))):
        world.check_count("clGetMemObjectInfo", image.handle, what, wanted)


COMMANDS = [(3, make), (2, make_of_buffer), (1, release), (8, transfer), (3, fill), (4, copy), (5, exchange), (5, map_)]
