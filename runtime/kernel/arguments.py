"""A kernel's argument block: the values in the driver's form, and one setter for each argument, which checks what it is given.

The block is allocated once for a kernel. Setting an argument writes the value in place, so a launch has nothing left to do. What only some
kinds of arguments need is imported with the first argument of the kind.
"""

from __future__ import annotations

import functools
import struct
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from ...translator.ir.kernel_info import ArgInfo, KernelInfo
from ..context.context import Context
from ..devices.device import Device
from ..memory.buffer import Buffer, ImmutableBuffer
from ..memory.svm import Pointer
from ..native import library as native
from ..spec import codes
from ..spec.errors import CLError
from .argument_values import IMAGE, LOCAL_ALIGN, OTHER, ArgumentValues, Layout, round_up

ROUTINE = "clSetKernelArg"
SVM_ROUTINE = "clSetKernelArgSVMPointer"
# The formats of the struct module for numbers.
_NUMBERS = frozenset("bBhHiIlLqQefd")

Setter = Callable[[Any], None]


class LocalMemory:
    """The value of a `local` pointer argument: so many bytes."""

    __slots__ = ("size",)

    def __init__(self, size: int):
        self.size = size

    def __repr__(self) -> str:
        return f"LocalMemory({self.size})"


def _is_packed(arg: ArgInfo, number: str | None) -> bool:
    """Whether the argument is a pointer to global or constant memory, or a number of this format."""
    if number is None:
        return arg.kind in ("global", "constant") and not arg.dimensions
    return arg.kind == "value" and number in _NUMBERS and struct.calcsize(number) == arg.size


class Planned(Protocol):
    """Who has plans of launches."""

    def drop_plans(self) -> None: ...

    def change_local_sizes(self, before: tuple[int, ...], after: tuple[int, ...]) -> None: ...


class ArgumentBlock(ArgumentValues):
    """unset        indexes of arguments without a value yet
    system_pointers in a context of several devices: indexes of arguments that point to host memory which clSVMAlloc did not give
    """

    def __init__(self, info: KernelInfo, context: Context, planned: Planned, layout: Layout):
        """`planned` has the plans of launches with these arguments, and what sets them (`new_setters`): it goes as soon as nobody has it,
        which a search for garbage would be long in finding."""
        super().__init__(info, context, layout)
        self._planned = weakref.ref(planned)
        self.unset = set(range(len(info.args)))
        self.local_sizes = {index: 0 for index, arg in enumerate(info.args) if arg.kind == "local"}
        self.system_pointers: set[int] = set()
        self._asked: dict[int, object] = {}  # what images ask for, of which plans are made
        self.dynamic_local = self._place_local()

    def new_setters(self) -> tuple[Setter, ...]:
        """For each argument, the function that sets it."""
        return tuple([self._setter(index, arg) for index, arg in enumerate(self.info.args)])

    def drop_plans(self) -> None:
        planned = self._planned()
        if planned is not None:
            planned.drop_plans()

    def take_from(self, other: ArgumentBlock) -> None:
        """The values that another block of the same kernel has now."""
        self._take_values(other)
        self.unset &= other.unset
        self._asked.update(other._asked)
        self.system_pointers |= other.system_pointers
        self.local_sizes.update(other.local_sizes)

    def forget(self, indexes: Collection[int]) -> None:
        """These arguments are not set any more."""
        self.unset.update(indexes)
        self.system_pointers.difference_update(indexes)
        for index in indexes:
            self._buffers.pop(index, None)
            self._images.pop(index, None)
        self.local_sizes.update((index, 0) for index in indexes if index in self.local_sizes)
        self.dynamic_local = self._place_local()
        self.drop_plans()

    def check_alignment(self, routine: str, device: Device) -> None:
        """In a context of several devices a sub-buffer may begin where one of them cannot have it."""
        align = device.properties.base_address_align
        for index, reference in self._buffers.items():
            buffer = reference()
            if buffer is not None and buffer.offset % align:
                raise CLError(routine, "MISALIGNED_SUB_BUFFER_OFFSET",
                              f"argument {index}: the sub-buffer's origin {buffer.offset} is not a multiple of the device's {align} bytes")

    # Many arguments at once

    def packer(self, formats: Sequence[str | None]) -> tuple[Callable[..., None], list[int]] | None:
        """A function that sets all arguments, and the order in which it takes them: for the format None a buffer's address, else a
        number in a native format of the struct module, of one character. It raises struct.error for what does not fit.

        None where an argument is of another kind or size, and in a context of several devices.
        """
        args = self.info.args
        if not self.context.fixed_addresses or not 0 < len(formats) == len(args) or not all(map(_is_packed, args, formats)):
            return None
        order, layout = sorted(self._offsets, key=self._offsets.__getitem__), "@"
        for index in order:
            layout += f"{self._offsets[index] - struct.calcsize(layout)}x{formats[index] or 'Q'}"
        return functools.partial(struct.Struct(layout).pack_into, self._bytes, 0), order

    def packing(self, formats: Sequence[str | None] = (), parts: Sequence[tuple[int, int]] = (), asked: bytes = b"") -> object:
        """What sets all arguments in C (runtime/native), numbers by their `formats` as `packer` has them, or NumPy's where there are none;
        False where there is no such code, or no argument is plain memory. `parts` and `asked` are of calls some of whose
        arguments are arrays."""
        calls, args = native.calls(), self.info.args
        fixed = self.context.fixed_addresses
        if calls is None or not (fixed or self.context.has_residents) or (formats and not all(map(_is_packed, args, formats))):
            return False
        parts = parts or [(index, 0) for index in range(len(args))]
        places = [(*place, each or " ", *part) for place, each, part in zip(
            self.plain_places(noted=not fixed), formats or (None,) * len(args), parts, strict=True)]
        if all(kind == OTHER for kind, *_ in places):
            return False
        setters = tuple([self._setter(index, args[index]) if kind in (OTHER, IMAGE) else None for index, (kind, *_) in enumerate(places)])
        image_keys = tuple([self._taken_as(args[index]) if kind == IMAGE else None for index, (kind, *_) in enumerate(places)])
        return calls.packing(tuple(places), setters, self.unset, Buffer, self.context, self._memory, asked, self._reaches_all_memory,
                             None if fixed else (self._buffers, self.system_pointers), image_keys)

    # Setters: closures over what never changes, since they run for every argument of every call.

    def _setter(self, index: int, arg: ArgInfo) -> Setter:
        if arg.kind == "value":
            return self._value_setter(index, arg)
        if arg.dimensions:
            return self._array_setter(index, arg)
        if arg.kind in ("global", "constant"):
            return self._buffer_setter(index, arg)
        if arg.kind == "local":
            return self._local_setter(index, arg)
        if arg.kind == "image":
            return self._image_setter(index, arg)
        if arg.kind == "sampler":
            return self._sampler_setter(index, arg)
        if arg.kind == "pipe":
            return self._pipe_setter(index, arg)
        return self._queue_setter(index, arg)

    def _value_setter(self, index: int, arg: ArgInfo) -> Setter:
        place, done = self._place(index), self.unset.discard

        def set_value(value: Any) -> None:
            try:
                place[:] = value
            except (TypeError, ValueError):
                place[:] = self._value_bytes(index, arg, value)
            done(index)

        return set_value

    def _value_bytes(self, index: int, arg: ArgInfo, value: Any) -> memoryview:
        """The value's bytes, of whatever format its buffer has."""
        if isinstance(value, (Buffer, LocalMemory)) or value is None:
            raise self._error("INVALID_ARG_VALUE", index, f"takes a value of {arg.size} bytes, not {value!r}")
        try:
            data = memoryview(value)
            data = data.cast("B") if data.contiguous and data.c_contiguous else memoryview(data.tobytes())
        except TypeError:
            raise self._error("INVALID_ARG_VALUE", index, f"takes the bytes of its value, not {value!r}") from None
        if len(data) != arg.size:
            raise self._error("INVALID_ARG_SIZE", index, f"has {arg.size} bytes, the given value has {len(data)}")
        return data

    def _buffer_setter(self, index: int, arg: ArgInfo) -> Setter:
        words, word, done = self._words, self._offsets[index] // 8, self.unset.discard
        context, buffers = self.context, None if self.context.fixed_addresses else self._buffers
        writes = arg.may_write

        def set_buffer(value: Any) -> None:
            if writes and isinstance(value, ImmutableBuffer):
                raise self._may_write(index)
            if isinstance(value, Buffer) and value.context is context and value._storage is not None:
                words[word] = value._storage.memory + value.offset
                if buffers is not None:
                    buffers[index] = weakref.ref(value)
                    self.system_pointers.discard(index)
            elif value is None:
                words[word] = 0  # "a NULL value will be used as the value for the argument"
                self._buffers.pop(index, None)
            elif isinstance(value, Pointer):
                self.set_svm_pointer(index, value.address)
            else:
                raise self._bad_buffer(index, value)
            done(index)

        return set_buffer

    def _array_setter(self, index: int, arg: ArgInfo) -> Setter:
        from . import array_argument

        place, context, done = self._place(index), self.context, self.unset.discard
        pack_buffer = array_argument.buffer_packer(arg) if context.fixed_addresses else None

        def set_array(value: Any) -> None:
            if isinstance(value, ImmutableBuffer) and not arg.read_only:
                raise self._may_write(index)
            if pack_buffer and isinstance(value, Buffer) and value.context is context and value._storage is not None:
                known = pack_buffer(value._storage.memory + value.offset, value.size)
                if known:
                    place[:] = known
                    done(index)
                    return
            found = array_argument.read(arg, value, context)
            if isinstance(found, array_argument.Refusal):
                raise self._error(found.status, index, found.reason)
            place[:] = found.parameters(arg)
            if not context.fixed_addresses:
                self._array_starts[index] = found.start
                self._buffers.pop(index, None)
                if found.buffer is not None:
                    self._buffers[index] = weakref.ref(found.buffer)
            done(index)

        return set_array

    def set_svm_pointer(self, index: int, address: int) -> None:
        """An address of shared virtual memory (or NULL, as for buffers), for a pointer to global or constant memory."""
        if self.info.args[index].dimensions:
            self._setter(index, self.info.args[index])(Pointer(address))
            return
        if self.info.args[index].kind not in ("global", "constant"):
            raise self._error("INVALID_ARG_VALUE", index, "takes no pointer to shared virtual memory", SVM_ROUTINE)
        system = bool(address) and self.context.svm.find(address) is None
        if system and not self._reaches_all_memory:
            raise self._error("INVALID_ARG_VALUE", index,
                              f"is given {address:#x}, which is in no allocation of clSVMAlloc in this context", SVM_ROUTINE)
        self._set_address(index, address)
        if system and not self.context.fixed_addresses:
            self.system_pointers.add(index)
            self.drop_plans()  # Which of the devices can run this is checked when a launch is planned.

    @property
    def _reaches_all_memory(self) -> bool:
        """A device of the context reaches memory of the host that clSVMAlloc did not give."""
        return any(one.properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM for one in self.context.devices)

    def set_pointer(self, routine: str, index: int, address: int, status: str) -> None:
        """Any address, of which the routine asks nothing, for a pointer to global or constant memory. `status` is that of arguments
        which are something else."""
        arg = self.info.args[index]
        if arg.kind not in ("global", "constant") or arg.dimensions:
            raise self._error(status, index, "takes no address", routine)
        self._set_address(index, address)

    def _set_address(self, index: int, address: int) -> None:
        self._words[self._offsets[index] // 8] = address
        self._buffers.pop(index, None)
        self.system_pointers.discard(index)
        self.unset.discard(index)

    def _may_write(self, index: int) -> CLError:
        return self._error("INVALID_ARG_VALUE", index, "may write, and is given a buffer created with CL_MEM_IMMUTABLE_EXT")

    def _bad_buffer(self, index: int, value: Any) -> CLError:
        from ..image.image import Image
        from ..memory.pipe import Pipe

        if not isinstance(value, Buffer):
            status = "INVALID_MEM_OBJECT" if isinstance(value, (Image, Pipe)) else "INVALID_ARG_VALUE"
            return self._error(status, index, f"takes a buffer or NULL, not {value!r}")
        if value._storage is None:
            return self._error("INVALID_MEM_OBJECT", index, "is given a buffer that has been released")
        return self._error("INVALID_MEM_OBJECT", index, "is given a buffer of another context")

    def _image_setter(self, index: int, arg: ArgInfo) -> Setter:
        """An image keeps what it was accepted as; in a context of several devices a launch says what it is given."""
        from ..driver.image_argument import asks_for
        from ..image.image import Image

        place, done = self._place(index), self.unset.discard
        taken_as = self._taken_as(arg)

        def set_image(value: Any) -> None:
            known = value.arguments.get(taken_as) if isinstance(value, Image) else None
            if known is None:
                known = self.accept_image(index, value)
                if known is None:
                    self._images[index] = weakref.ref(value)
                    done(index)
                    return
            asked = asks_for(known)
            if self._asked.get(index) != asked:
                self._asked[index] = asked
                self.drop_plans()
            place[:] = known
            done(index)

        return set_image

    def accept_image(self, index: int, image: Any) -> bytes | None:
        """What the kernel is given for an image that it takes there, which keeps it; None in a context of several devices. Or the error
        that says why it takes no such image."""
        from . import accepted_images

        arg, context = self.info.args[index], self.context
        refusal = accepted_images.check_for(arg)(image, context)
        if refusal:
            raise self._error(refusal.status, index, refusal.reason)
        if not context.fixed_addresses:
            return None
        known: bytes = image.argument(self.image_states(arg))
        image.keep_argument(self._taken_as(arg), known)
        return known

    def _taken_as(self, arg: ArgInfo) -> tuple[Context, str, str, int]:
        """What images keep by it that they are given as: of kernels that take them alike it is the same."""
        return self.context, arg.image, arg.access_qualifier, self.image_states(arg)

    def _sampler_setter(self, index: int, arg: ArgInfo) -> Setter:
        from ..memory.sampler import Sampler

        place, done, context = self._place(index), self.unset.discard, self.context

        def set_sampler(value: Any) -> None:
            if not isinstance(value, Sampler) or value.released or value.context is not context:
                raise self._error("INVALID_SAMPLER", index, f"takes a sampler of the kernel's context, not {value!r}")
            place[:] = value.bits.to_bytes(4, "little")
            done(index)

        return set_sampler

    def _pipe_setter(self, index: int, arg: ArgInfo) -> Setter:
        from ..memory.pipe import Pipe

        def set_pipe(value: Any) -> None:
            if not isinstance(value, Pipe):
                raise self._error("INVALID_ARG_VALUE", index, f"takes a pipe, not {value!r}")
            if value.released or value.context is not self.context:
                raise self._error("INVALID_MEM_OBJECT", index, "is given a pipe that has been released, or of another context")
            # Nothing in the specification allows another size, and kernels would read and write beside the packets.
            if value.packet_size != arg.packet_size:
                raise self._error("INVALID_ARG_VALUE", index,
                                  f"takes packets of {arg.packet_size} bytes, the pipe's have {value.packet_size}")
            self._words[self._offsets[index] // 8] = value.address
            if not self.context.fixed_addresses:
                self._buffers[index] = weakref.ref(value)
            self.unset.discard(index)

        return set_pipe

    def _local_setter(self, index: int, arg: ArgInfo) -> Setter:
        def set_local(value: Any) -> None:
            if not isinstance(value, LocalMemory):
                raise self._error("INVALID_ARG_VALUE", index, f"takes a size of local memory, not {value!r}")
            if value.size <= 0:
                raise self._error("INVALID_ARG_SIZE", index, f"local memory of {value.size} bytes cannot be given")
            self.unset.discard(index)
            self.set_local_size(index, value.size)

        return set_local

    def set_local_size(self, index: int, size: int) -> None:
        """In bytes, more than none."""
        if size != self.local_sizes[index]:
            before = tuple(self.local_sizes.values())
            self.local_sizes[index] = size
            self.dynamic_local = self._place_local()
            planned = self._planned()
            if planned is not None:
                planned.change_local_sizes(before, tuple(self.local_sizes.values()))

    def _place_local(self) -> int:
        """Gives every local argument its offset in the dynamic local memory; returns the end of the last.

        First the kernel's own variables where they are in dynamic memory, then the argument whose place the translator knows,
        then the others in order, each at a multiple of 128.
        """
        end = self.info.local_size if self.info.local_in_dynamic else 0
        for index in sorted(self.local_sizes, key=lambda i: (self.info.args[i].parameter, i)):
            start = round_up(end, LOCAL_ALIGN)
            end = start + self.local_sizes[index]
            if self.info.args[index].parameter:
                place = self._offsets[index]
                self._bytes[place : place + 4] = start.to_bytes(4, "little")
        return end

    def _queue_setter(self, index: int, arg: ArgInfo) -> Setter:
        from ..queue.device_queue import DeviceQueue

        def set_queue(value: Any) -> None:
            # "CL_INVALID_DEVICE_QUEUE for an argument declared to be of type queue_t when the specified arg_value is not a valid device
            # queue object."
            if not isinstance(value, DeviceQueue) or value.closed or value.context is not self.context:
                raise self._error("INVALID_DEVICE_QUEUE", index, f"takes a queue on a device of the kernel's context, not {value!r}")
            self._words[self._offsets[index] // 8] = value.handle
            self.unset.discard(index)

        return set_queue

    def _error(self, status: str, index: int, reason: str, routine: str = ROUTINE) -> CLError:
        arg = self.info.args[index]
        name = f" '{arg.name}'" if arg.name else ""
        return CLError(routine, status, f"kernel '{self.info.name}': argument {index}{name} ({arg.type_name}) {reason}")
