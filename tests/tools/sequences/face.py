"""The same calls by PyOpenCL's functions, as programs in Python make them: cl2cuda's compiled calls, and what they leave to Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyopencl as cl

_NO_PITCH = (0, 0)


def plain(given: Any) -> Any:
    """What ctypes wraps: numbers, addresses, arrays as lists, and what is filled in."""
    if hasattr(given, "_obj"):
        return given._obj
    if isinstance(given, ctypes.Array):
        return list(given)
    if isinstance(given, ctypes._SimpleCData):
        return given.value
    return given


def memory_at(address: int, count: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(address))


class Face:
    """In place of `Calls`. Objects have numbers here."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._counts: dict[int, int] = {}
        self._maps: dict[int, list[Any]] = {}
        self._arguments: dict[int, dict[int, Any]] = {}
        self._arrays: dict[int, np.ndarray] = {}
        self._turn = 0
        # A transfer's event waits when it goes: as none does here before the end of the sequence, no gate is waited for in vain.
        self._events: list[Any] = []

    def devices(self, count: int) -> list[int]:
        return [self._new(device) for device in cl.get_platforms()[0].get_devices()[:count]]

    def place_of(self, array: np.ndarray) -> ctypes.c_void_p:
        """What is made of the array keeps it."""
        self._arrays[array.ctypes.data] = array
        return ctypes.c_void_p(array.ctypes.data)

    def code(self, name: str, *arguments: Any) -> int:
        return self.make(name, *arguments)[1]

    def make(self, name: str, *arguments: Any) -> tuple[int | None, int]:
        try:
            return self._call(name, [plain(each) for each in arguments]), 0
        except cl.Error as error:
            return None, error.code

    def made(self, name: str, *arguments: Any) -> int:
        found, code = self.make(name, *arguments)
        assert code == 0 and found, (name, code)
        return found

    def answer(self, name: str, handle: int, what: int, kind: Any = None) -> tuple[int, int]:
        thing = self._objects[handle]
        try:
            return (thing.get_profiling_info if "Profiling" in name else thing.get_info)(what), 0
        except cl.Error as error:
            return 0, error.code

    def _call(self, name: str, given: list[Any]) -> int | None:
        if name.startswith("clEnqueue"):
            return self._enqueue(name[9:], given)
        if name.startswith("clRelease"):
            self._release(given[0], "MemObject" in name)
            return None
        if name == "clRetainMemObject" or name == "clRetainEvent":
            self._counts[given[0]] += 1
            return None
        return getattr(self, f"_{name}")(*given)

    def _new(self, thing: Any) -> int:
        number = 64 * (len(self._objects) + 1)
        self._objects[number], self._counts[number] = thing, 1
        return number

    def _release(self, number: int, by_call: bool) -> None:
        self._counts[number] -= 1
        if not self._counts[number]:
            thing = self._objects[number]
            self._objects[number] = None
            if by_call and number // 64 % 2:
                thing.release()

    def _clCreateContext(self, properties: Any, count: int, devices: list[int], *rest: Any) -> int:
        return self._new(cl.Context([self._objects[each] for each in devices]))

    def _clCreateProgramWithSource(self, context: int, count: int, text: Any, lengths: Any) -> int:
        return self._new(cl.Program(self._objects[context], text.value.decode()))

    def _clBuildProgram(self, program: int, *rest: Any) -> None:
        self._objects[program].build()

    def _clCreateCommandQueueWithProperties(self, context: int, device: int, properties: list[int]) -> int:
        return self._new(cl.CommandQueue(self._objects[context], self._objects[device], properties[1]))

    def _clCreateUserEvent(self, context: int) -> int:
        return self._new(cl.UserEvent(self._objects[context]))

    def _clSetUserEventStatus(self, event: int, status: int) -> None:
        self._objects[event].set_status(status)

    def _clCreateBuffer(self, context: int, flags: int, size: int, address: int | None) -> int:
        host = None if address is None else self._arrays.pop(address)
        return self._new(cl.Buffer(self._objects[context], flags, 0 if host is not None else size, hostbuf=host))

    def _clCreateSubBuffer(self, buffer: int, flags: int, kind: int, region: list[int]) -> int:
        return self._new(self._objects[buffer].get_sub_region(*region, flags))

    def _clSetMemObjectDestructorCallback(self, memory: int, called: Callable[..., None], data: object) -> None:
        called(memory, None)  # PyOpenCL has none.

    def _clCreateImage(self, context: int, flags: int, format_: list[int], description: Any, address: int | None) -> int:
        shape = [each for each in (description.width, description.height, description.depth) if each]
        layers = description.layers
        made = cl.ImageDescriptor()
        made.image_type, made.shape, made.array_size = description.kind, tuple(shape) + (1,) * (3 - len(shape)), layers
        made.pitches, made.num_mip_levels, made.num_samples = _NO_PITCH, 0, 0
        made.buffer = self._objects[description.memory] if description.memory else None
        found = cl.ImageFormat(*format_)
        if address is None:
            return self._new(cl.Image(self._objects[context], flags, found, desc=made))
        count = found.itemsize * int(np.prod(shape)) * max(layers, 1)
        return self._new(cl.Image(self._objects[context], flags, found, desc=made, hostbuf=memory_at(address, count)))

    def _clCreateKernel(self, program: int, name: bytes) -> int:
        number = self._new(cl.Kernel(self._objects[program], name.decode()))
        self._arguments[number] = {}
        return number

    def _clCloneKernel(self, kernel: int) -> int:
        number = self._new(self._objects[kernel].clone())
        self._arguments[number] = dict(self._arguments[kernel])
        return number

    def _clSetKernelArg(self, kernel: int, place: int, size: int, value: Any) -> None:
        given = np.int32(value.value) if size == 4 else self._objects[value.value]
        self._objects[kernel].set_arg(place, given)
        self._arguments[kernel][place] = given

    def _clSetEventCallback(self, event: int, wanted: int, called: Callable[..., None], data: object) -> None:
        self._objects[event].set_callback(wanted, lambda status: called(event, status, None))

    def _clWaitForEvents(self, count: int, events: list[int]) -> None:
        cl.wait_for_events([self._objects[each] for each in events])

    def _clFinish(self, queue: int) -> None:
        self._objects[queue].finish()

    def _clFlush(self, queue: int) -> None:
        self._objects[queue].flush()

    def _enqueue(self, name: str, given: list[Any]) -> int | None:
        queue, *middle, count, waits, event = given
        wait_for = [self._objects[each] for each in waits] if count else None
        address, made = None, getattr(self, f"_{name}")(self._objects[queue], wait_for, *middle)
        if isinstance(made, tuple):
            address, made = made
        if event is not None:
            event.value = self._new(made)
        self._events.append(made)
        return address

    def _FillBuffer(self, queue: Any, waits: Any, buffer: int, pattern: int, width: int, start: int, size: int) -> Any:
        return cl.enqueue_fill_buffer(queue, self._objects[buffer], memory_at(pattern, width).copy(), start, size, wait_for=waits)

    def _ReadBuffer(self, queue: Any, waits: Any, buffer: int, blocks: int, start: int, size: int, host: int) -> Any:
        return cl.enqueue_copy(queue, memory_at(host, size), self._objects[buffer], src_offset=start, is_blocking=bool(blocks), wait_for=waits)

    def _WriteBuffer(self, queue: Any, waits: Any, buffer: int, blocks: int, start: int, size: int, host: int) -> Any:
        return cl.enqueue_copy(queue, self._objects[buffer], memory_at(host, size), dst_offset=start, is_blocking=bool(blocks), wait_for=waits)

    def _CopyBuffer(self, queue: Any, waits: Any, source: int, target: int, start: int, goal: int, size: int) -> Any:
        return cl.enqueue_copy(queue, self._objects[target], self._objects[source], byte_count=size, src_offset=start, dst_offset=goal, wait_for=waits)

    def _rectangle(self, queue: Any, waits: Any, is_read: bool, buffer: int, blocks: int, there: Any, here: Any, region: Any, row: int, slice_: int,
                   host_row: int, host_slice: int, host: int) -> Any:
        pitch = host_row or region[0]
        slice_pitch = host_slice or region[1] * pitch
        end = (here[2] + region[2] - 1) * slice_pitch + (here[1] + region[1] - 1) * pitch + here[0] + region[0]
        ends = (memory_at(host, end), self._objects[buffer])
        return cl.enqueue_copy(queue, *(ends if is_read else ends[::-1]), buffer_origin=tuple(there), host_origin=tuple(here), region=tuple(region),
                               buffer_pitches=(row, slice_), host_pitches=(host_row, host_slice), is_blocking=bool(blocks), wait_for=waits)

    def _ReadBufferRect(self, queue: Any, waits: Any, *rest: Any) -> Any:
        return self._rectangle(queue, waits, True, *rest)

    def _WriteBufferRect(self, queue: Any, waits: Any, *rest: Any) -> Any:
        return self._rectangle(queue, waits, False, *rest)

    def _CopyBufferRect(self, queue: Any, waits: Any, source: int, target: int, here: Any, there: Any, region: Any, *pitches: int) -> Any:
        return cl.enqueue_copy(queue, self._objects[target], self._objects[source], src_origin=tuple(here), dst_origin=tuple(there), region=tuple(region),
                               src_pitches=pitches[:2], dst_pitches=pitches[2:], wait_for=waits)

    def _MapBuffer(self, queue: Any, waits: Any, buffer: int, blocks: int, flags: int, start: int, size: int) -> Any:
        array, event = cl.enqueue_map_buffer(queue, self._objects[buffer], flags, start, (size,), np.uint8, wait_for=waits, is_blocking=bool(blocks))
        address = array.ctypes.data
        self._maps.setdefault(address, []).append(array)
        return address, event

    def _MapImage(self, queue: Any, waits: Any, image: int, blocks: int, flags: int, origin: Any, region: Any, row: Any, slice_: Any) -> Any:
        thing = self._objects[image]
        array, event, row_pitch, slice_pitch = cl.enqueue_map_image(queue, thing, flags, tuple(origin), tuple(region), (1,), np.uint8, wait_for=waits,
                                                                    is_blocking=bool(blocks))
        row.value = row_pitch
        if slice_ is not None:
            slice_.value = slice_pitch
        address = array.ctypes.data
        self._maps.setdefault(address, []).append(array)
        return address, event

    def _UnmapMemObject(self, queue: Any, waits: Any, memory: int, address: int) -> Any:
        return self._maps[address].pop().base.release(queue, wait_for=waits)

    def _MigrateMemObjects(self, queue: Any, waits: Any, count: int, memories: Sequence[int], flags: int) -> Any:
        return cl.enqueue_migrate_mem_objects(queue, [self._objects[each] for each in memories], flags, wait_for=waits)

    def _MarkerWithWaitList(self, queue: Any, waits: Any) -> Any:
        return cl.enqueue_marker(queue, wait_for=waits)

    def _BarrierWithWaitList(self, queue: Any, waits: Any) -> Any:
        return cl.enqueue_barrier(queue, wait_for=waits)

    def _NDRangeKernel(self, queue: Any, waits: Any, kernel: int, dimensions: int, offset: Any, size: list[int], local: Any) -> Any:
        self._turn += 1
        thing, arguments = self._objects[kernel], self._arguments[kernel]
        if self._turn % 2 and len(arguments) == thing.num_args:
            return thing(queue, tuple(size), local, *[arguments[place] for place in sorted(arguments)], global_offset=offset, wait_for=waits)
        return cl.enqueue_nd_range_kernel(queue, thing, tuple(size), local, offset, wait_for=waits)

    def _image_rows(self, image: int, region: Sequence[int], row: int, slice_: int, host: int) -> tuple[Any, np.ndarray]:
        thing = self._objects[image]
        line = region[0] * thing.format.itemsize
        step = row or line
        plane = slice_ or step * region[1]
        return thing, memory_at(host, plane * (region[2] - 1) + step * (region[1] - 1) + line if region[2] > 1 else (
            (slice_ if slice_ and thing.type == 0x10F5 else step) * (region[1] - 1) + line))

    def _ReadImage(self, queue: Any, waits: Any, image: int, blocks: int, origin: Any, region: Any, row: int, slice_: int, host: int) -> Any:
        thing, memory = self._image_rows(image, region, row, slice_, host)
        return cl._cl._enqueue_read_image(queue, thing, tuple(origin), tuple(region), memory, row_pitch=row, slice_pitch=slice_, is_blocking=bool(blocks),
                                          wait_for=waits)

    def _WriteImage(self, queue: Any, waits: Any, image: int, blocks: int, origin: Any, region: Any, row: int, slice_: int, host: int) -> Any:
        thing, memory = self._image_rows(image, region, row, slice_, host)
        return cl._cl._enqueue_write_image(queue, thing, tuple(origin), tuple(region), memory, row_pitch=row, slice_pitch=slice_,
                                           is_blocking=bool(blocks), wait_for=waits)

    def _FillImage(self, queue: Any, waits: Any, image: int, colour: Any, origin: Any, region: Any) -> Any:
        kind = {float: np.float32}.get(type(colour[0]), np.uint32)
        return cl.enqueue_fill_image(queue, self._objects[image], np.array(colour, kind), tuple(origin), tuple(region), wait_for=waits)

    def _CopyImage(self, queue: Any, waits: Any, source: int, target: int, origin: Any, goal: Any, region: Any) -> Any:
        return cl._cl._enqueue_copy_image(queue, self._objects[source], self._objects[target], tuple(origin), tuple(goal), tuple(region), wait_for=waits)

    def _CopyImageToBuffer(self, queue: Any, waits: Any, image: int, buffer: int, origin: Any, region: Any, start: int) -> Any:
        return cl._cl._enqueue_copy_image_to_buffer(queue, self._objects[image], self._objects[buffer], tuple(origin), tuple(region), start,
                                                    wait_for=waits)

    def _CopyBufferToImage(self, queue: Any, waits: Any, buffer: int, image: int, start: int, origin: Any, region: Any) -> Any:
        return cl._cl._enqueue_copy_buffer_to_image(queue, self._objects[buffer], self._objects[image], start, tuple(origin), tuple(region),
                                                    wait_for=waits)

