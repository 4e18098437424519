"""The kernel class and its launch: the path that a program walks most often.

An argument reaches the runtime through one closure per argument (`setters`), which the runtime made when the kernel was.
Kernels whose argument types were declared have functions of their own (`invoker`).
"""

from __future__ import annotations

import ctypes
import functools
import struct
from builtins import RuntimeError as PythonRuntimeError
from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any, TypeVar

import numpy as np

from ..runtime.native import library as native
from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .constants import MODULE
from .context import Context
from .errors import Error, from_runtime, guarded, make_error
from .event import Event, event_of, new_event
from .handles import Handle, core_of, cores, stands_for, to_python
from .integers import cast, cast_each, cl_int, cl_uint, size_t
from .later import buffer_commands, kernels, nd_range, sub_groups
from .platform import Device
from .program import _Program
from .queue import CommandQueue

F = TypeVar("F", bound=Callable[..., Any])


def _pack_byte(number: Any) -> bytes:
    """PyOpenCL casts to int what goes into a byte, which takes the int's last one."""
    return (cl_int(number, "the number") & 0xFF).to_bytes(1, "little")


# PyOpenCL's invoker packs these itself into `_set_arg_buf_pack_multi`; its "c" is a number.
_PACK: dict[bytes, Callable[[Any], bytes]] = {
    **dict.fromkeys((b"c", b"b", b"B"), _pack_byte),
    **{letter.encode(): struct.Struct(letter).pack for letter in "hHiIlLfd"},
}

# NumPy's scalars are the commonest values; `struct` takes their bytes in a fifth of the time of their own `tobytes`.
_PACK_NUMBER: dict[type, Callable[[Any], bytes]] = {
    np.dtype(letter).type: struct.Struct("=" + letter).pack for letter in "?bBhHiIqQefd"
} | {np.int64: struct.Struct("=q").pack, np.uint64: struct.Struct("=Q").pack}


class LocalMemory:
    """An argument for a `local` pointer: how many bytes of local memory it points to."""

    __slots__ = ("__dict__", "_core")

    def __init__(self, size: int) -> None:
        self._core = kernels.LocalMemory(size_t(size, "size"))

    @property
    def size(self) -> int:
        return self._core.size


@stands_for("kernel.kernel.Kernel")
class Kernel(Handle):
    """cl_kernel (5.9). Errors: INVALID_KERNEL_NAME, INVALID_PROGRAM_EXECUTABLE; of arguments INVALID_ARG_INDEX, INVALID_ARG_VALUE,
    INVALID_ARG_SIZE, INVALID_MEM_OBJECT, INVALID_SAMPLER.

    _packing  once it was called or given an argument: what sets its arguments in C, or False; else None
    """

    __slots__ = ("_packing", "_setters")  # where they are found soonest
    _invalid = "INVALID_KERNEL"
    _query_in_python = Handle.get_info
    _source: str | None = None
    _packing: Any

    @guarded
    def __init__(self, program: Any, name: str) -> None:
        """A kernel of a `_Program`, or of PyOpenCL's `Program` over one."""
        own = program if isinstance(program, _Program) else program._get_prg()
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}")
        self._adopt(kernels.Kernel(own._core, name))
        self._source = getattr(program, "_source", None)

    def _adopt(self, core: Any) -> None:
        self._core = core
        self._setters = core.setters
        self._packing = None

    @classmethod
    def _of(cls, core: Any) -> Kernel:
        kernel = cls.__new__(cls)
        kernel._adopt(core)
        return kernel

    def __call__(self, queue: CommandQueue, global_size: Any, local_size: Any, *args: Any, global_offset: Any = None,
                 g_times_l: bool = False, allow_empty_ndrange: bool = False, wait_for: Any = None) -> Event:
        """Sets all arguments and enqueues the kernel."""
        self.set_args(*args)
        return enqueue_nd_range_kernel(queue, self, global_size, local_size, global_offset, wait_for, g_times_l,
                                       allow_empty_ndrange)

    _call_in_python = __call__

    def set_args(self, *args: Any) -> None:
        """Sets all arguments."""
        if self._packing is None:
            self._packing = self._core.arguments.packing()
        setters = self._setters
        if len(args) != len(setters):
            raise TypeError(f"kernel {self._core.name!r} takes {len(setters)} arguments, but {len(args)} were given")
        packers = _PACK_NUMBER
        arg = setter = None
        try:
            for setter, arg in zip(setters, args):  # noqa: B905  # The lengths are equal.
                pack = packers.get(type(arg))
                setter(getattr(arg, "_core", arg) if pack is None else pack(arg))
        except Exception as failure:
            raise self._argument_error(failure, setters.index(setter), arg) from None

    _arguments_in_python = set_args

    def _set_enqueue_and_set_args(self, enqueue: Callable[..., Event], set_args: Callable[..., None]) -> None:
        """Takes the functions that PyOpenCL generated for declared argument types. A class of its own lets a call reach them
        without a detour; PyOpenCL before 2024.3 did the same."""
        from . import invoker  # which not all programs need

        call, layout = invoker.quick(self._core.arguments, enqueue, enqueue_nd_range_kernel)
        self._packing = self._core.arguments.packing(*layout) if layout else False
        called = "_call_in_python" if self._packing else "__call__"
        self.__class__ = type("Kernel", (Kernel,), {"__slots__": (), "__module__": MODULE, called: call, "set_args": set_args})

    def set_arg(self, arg_index: int, arg: Any) -> None:
        """None, a memory object, LocalMemory, or a bytes-like object with the argument's value."""
        if self._packing is None:
            self._packing = self._core.arguments.packing()
        setters = self._setters
        if type(arg_index) is int and 0 <= arg_index < len(setters):
            set_value = setters[arg_index]
        else:
            set_value = functools.partial(self._core.set_arg, cl_uint(arg_index, "arg_index"))
        try:
            set_value(getattr(arg, "_core", arg))
        except CLError as failure:
            raise from_runtime(failure) from None
        except TypeError:
            raise make_error("Kernel.set_arg", "INVALID_VALUE", f"invalid kernel argument: {_described(arg)}") from None

    _argument_in_python = set_arg

    def _set_arg_null(self, arg_index: int) -> None:
        self.set_arg(arg_index, None)

    def _set_arg_buf(self, arg_index: int, value: Any) -> None:
        self.set_arg(arg_index, value)

    def _set_arg_svm(self, arg_index: int, pointer: Any) -> None:
        self.set_arg(arg_index, pointer)

    def _set_arg_multi(self, indices_and_args: tuple[Any, ...]) -> None:
        """(index, argument, index, argument, ...), of any kind of argument."""
        setters, packers = self._setters, _PACK_NUMBER
        index, arg = 9998, None
        pairs = iter(indices_and_args)
        try:
            for index, arg in zip(pairs, pairs):  # noqa: B905  # One iterator has one length.
                pack = packers.get(type(arg))
                setters[index](getattr(arg, "_core", arg) if pack is None else pack(arg))
        except Exception as failure:
            raise self._argument_error(failure, index, arg) from None

    # (index, bytes-like value, ...): the same, since a value has no `_core`.
    _set_arg_buf_multi = _set_arg_multi

    def _set_arg_buf_pack_multi(self, indices_chars_and_args: tuple[Any, ...]) -> None:
        """(index, type character of the struct module, number, ...)."""
        setters = self._setters
        index, arg = 9998, None
        triples = iter(indices_chars_and_args)
        try:
            for index, char, arg in zip(triples, triples, triples):  # noqa: B905
                setters[index](_PACK[char](arg))
        except Exception as failure:
            raise self._argument_error(failure, index, arg) from None

    @guarded
    def get_work_group_info(self, param: int, device: Device) -> Any:
        return to_python(self._core.work_group_info(cl_uint(param, "param"), core_of(device, Device, "device")))

    @guarded
    def get_arg_info(self, index: int, param_name: int) -> Any:
        return to_python(self._core.get_arg_info(cl_uint(index, "index"), cl_uint(param_name, "param_name")))

    @guarded
    def get_sub_group_info(self, device: Device, param: int, input_value: Any = None) -> Any:
        """`input_value` is a local size, or the number of sub-groups that one is wanted for."""
        if isinstance(input_value, Sequence):
            input_value = cast_each(size_t, input_value, "input_value")
        elif input_value is not None:
            input_value = cast(size_t, input_value, "input_value")
        core = core_of(device, Device, "device")
        return to_python(sub_groups.sub_group_info(self._core, core, cl_uint(param, "param"), input_value))

    @guarded
    def clone(self) -> Kernel:
        copy = Kernel._of(self._core.clone())
        copy._source = self._source
        return copy

    def _argument_error(self, failure: Exception, index: int, arg: Any) -> Exception:
        """The error for argument `index`, in PyOpenCL's words: it counts from 1, and guesses the commonest mistakes."""
        if isinstance(failure, CLError):
            failure = from_runtime(self._failure_with(index, arg) or failure)
        elif isinstance(failure, IndexError):
            failure = make_error("clSetKernelArg", "INVALID_ARG_INDEX")
        where = f"when processing arg#{index + 1} (1-based): "
        if not isinstance(failure, Error):
            return PythonRuntimeError(f"{where}{failure} (got {_described(arg)})")
        record = failure.args[0]
        return type(failure)(type(record)(record.routine(), record.code(), where + record.what() + self._hint(index, arg)))

    def _failure_with(self, index: int, arg: Any) -> CLError | None:
        """What the runtime says of the argument itself, where it was given packed bytes."""
        if type(arg) in _PACK_NUMBER:
            try:
                self._core.set_arg(index, arg)
            except CLError as failure:
                return failure
        return None

    def _hint(self, index: int, arg: Any) -> str:
        from pyopencl.array import Array

        if isinstance(arg, Array):
            return " (perhaps you meant to pass 'array.data' instead of the array itself?)"
        if type(arg) in (int, float) and self._core.arg_info(index).kind == "value":
            return " (a plain Python number has no size: pass numpy.int32(...) or the like, or declare the types by set_arg_types)"
        return ""


def _described(arg: Any) -> str:
    return f"{arg!r} of type {type(arg).__name__}"


def _natively(function: F) -> F:
    """The same in C, which leaves what is not plain to the function, where C was compiled."""
    calls = native.calls()
    if calls is None:
        return function
    return calls.enqueuer(function, Event, codes.COMMAND_NDRANGE_KERNEL, lambda *launch: nd_range.prepare(*launch), MODULE)


@_natively
def enqueue_nd_range_kernel(queue: CommandQueue, kernel: Kernel, global_work_size: Any, local_work_size: Any,
                            global_work_offset: Any = None, wait_for: Iterable[Event] | None = None, g_times_l: bool = False,
                            allow_empty_ndrange: bool = False) -> Event:
    """Enqueues the kernel with the arguments that it has. `g_times_l`: the global size and offset count work-groups."""
    try:
        if (g_times_l or allow_empty_ndrange or global_work_offset is not None
                or (local_work_size is not None and len(local_work_size) != len(global_work_size))):
            global_work_offset, global_work_size, local_work_size = _sizes(global_work_offset, global_work_size, local_work_size,
                                                                           g_times_l)
            if allow_empty_ndrange and (0 in global_work_size or 0 in (local_work_size or ())):
                return event_of(buffer_commands.enqueue_marker(queue._core, cores(wait_for)))
        else:  # Plans are found by tuples of sizes that are equal, as 4.0 is to 4.
            if type(global_work_size) is not tuple:
                global_work_size = tuple(global_work_size)
            if local_work_size is not None and type(local_work_size) is not tuple:
                local_work_size = tuple(local_work_size)
            for size in (*global_work_size, *(local_work_size or ())):
                if type(size) is not int:
                    index(size)
        event = new_event(Event)  # as `event_of` does
        event._core = nd_range.enqueue_nd_range_kernel(
            queue._core, kernel._core, len(global_work_size), global_work_offset, global_work_size, local_work_size,
            cores(wait_for) if wait_for else ())
        return event
    except CLError as failure:
        raise from_runtime(failure) from None
    except AttributeError:
        core_of(queue, CommandQueue, "queue")
        core_of(kernel, Kernel, "kernel")
        raise
    except TypeError:
        # The runtime has met a size that is no integer. PyOpenCL has another exception for that.
        for given, parameter in ((global_work_offset, "global_work_offset"), (global_work_size, "global_work_size"),
                                 (local_work_size, "local_work_size")):
            cast_each(size_t, () if given is None else given, parameter)
        raise


def _sizes(offset: Any, global_size: Any, local_size: Any, g_times_l: bool) -> tuple[Any, tuple[int, ...], Any]:
    """(offset, global, local) with equal dimensions, in work-items."""
    sizes = cast_each(size_t, global_size, "global_work_size")
    groups = None if local_size is None else cast_each(size_t, local_size, "local_work_size")
    if groups is not None:
        if len(sizes) != len(groups) and not g_times_l:
            raise make_error("enqueue_nd_range_kernel", "INVALID_VALUE",
                             f"global/local work sizes have differing dimensions: {sizes} and {groups}")
        dimensions = max(len(sizes), len(groups))
        sizes += (1,) * (dimensions - len(sizes))
        groups += (1,) * (dimensions - len(groups))
    factor = groups if g_times_l and groups is not None else (1,) * len(sizes)
    if offset is not None:
        offset = cast_each(size_t, offset, "global_work_offset")
        if len(offset) != len(sizes):
            raise make_error("enqueue_nd_range_kernel", "INVALID_VALUE",
                             f"global work size and offset have differing dimensions: {sizes} and {offset}")
        offset = tuple(start * scale for start, scale in zip(offset, factor, strict=True))
    return offset, tuple(size * scale for size, scale in zip(sizes, factor, strict=True)), groups


def _numbers() -> tuple[tuple[type, int, str], ...]:
    """NumPy's types of numbers, and the sizes and formats of their values, which stand behind the head of their objects
    (numpy/arrayscalars.h)."""
    ones = [kind(1) for kind in _PACK_NUMBER]
    return tuple((type(one), one.nbytes, one.dtype.char) for one in ones
                 if ctypes.string_at(id(one) + object.__basicsize__, one.nbytes) == one.tobytes())


_calls = native.calls()
if _calls is not None:
    _calls.numbers(*_numbers())
    _answers = {codes.KERNEL_REFERENCE_COUNT: 1, codes.KERNEL_NUM_ARGS: "num_args", codes.KERNEL_FUNCTION_NAME: "name",
                codes.KERNEL_CONTEXT: ("context", Context), codes.KERNEL_PROGRAM: ("program", _Program)}
    Kernel.get_info = _calls.kernel_queries(Kernel, _answers)  # type: ignore[method-assign]
    Kernel.__call__ = _calls.caller(Kernel)  # type: ignore[method-assign]
    Kernel.set_arg = _calls.argument_setter(Kernel)  # type: ignore[method-assign]
    Kernel.set_args = _calls.arguments_setter(Kernel)  # type: ignore[method-assign]
