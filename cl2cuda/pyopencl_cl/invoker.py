"""Calls of kernels whose argument types were declared: one function for each kernel, which writes all arguments at once.

PyOpenCL generates such a function, too (pyopencl/invoker.py), which hands the arguments over in groups. Called with stand-ins, it tells
what it reads of which argument and how it packs that; ours does the same with a single `struct.pack_into`. What ours does not take, such
as a number out of range or a buffer that has been released, goes to PyOpenCL's, which says what is wrong with it.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from ..runtime.memory.buffer import Buffer
from ..runtime.native.library import ASKED, PARTS, know

# What a call raises that meets an argument which is not as declared.
REFUSALS = (AttributeError, OverflowError, TypeError, ValueError, struct.error)


# What a kernel's `packing` takes beside: the formats of its arguments, None for buffers, where each is found, and what is asked of arrays.
Layout = tuple[list[str | None], list[tuple[int, int]], bytes]


class _StandIn:
    """What stands for an argument of a call, or for part of one. `read` are the attributes of arrays that were asked for."""

    def __init__(self, argument: int, part: str = ""):
        self.argument, self.part = argument, part
        self.expression = f"a{argument}.{part}" if part else f"a{argument}"
        self.read: set[str] = set()

    def _of_an_array(self, name: str, value: Any) -> Any:
        self.read.add(name)
        return value

    base_data = property(lambda self: self._of_an_array("base_data", _StandIn(self.argument, "base_data")))
    offset = property(lambda self: self._of_an_array("offset", _StandIn(self.argument, "offset")))
    flags = property(lambda self: self._of_an_array("flags", SimpleNamespace(forc=True)))
    queue = property(lambda self: self._of_an_array("queue", None))
    events = property(lambda self: self._of_an_array("events", ()))


class _Asked:
    """What stands for the kernel. `given` has the stand-in for each of its arguments, and the format for a number."""

    def __init__(self) -> None:
        self.given: dict[int, tuple[_StandIn, str | None]] = {}

    def _set_arg_multi(self, pairs: tuple[Any, ...]) -> None:
        self.given |= {index: (stand_in, None) for index, stand_in in zip(pairs[::2], pairs[1::2], strict=True)}

    def _set_arg_buf_pack_multi(self, triples: tuple[Any, ...]) -> None:
        for index, char, stand_in in zip(triples[::3], triples[1::3], triples[2::3], strict=True):
            self.given[index] = stand_in, char.decode().replace("c", "b")  # PyOpenCL's "c" is a number.


def quick(arguments: Any, generated: Callable[..., Any], enqueue: Callable[..., Any]) -> tuple[Callable[..., Any], Layout | None]:
    """The kernel's `__call__`: our function, with the layout of its arguments, or `generated` for kernels that ours is not for.
    `arguments` is the kernel's argument block; `enqueue` is enqueue_nd_range_kernel."""
    count = generated.__code__.co_argcount - len(("self", "queue", "global_size", "local_size", *(generated.__defaults__ or ())))
    stand_ins, asked = [_StandIn(number) for number in range(count)], _Asked()
    with contextlib.suppress(Exception):  # A stand-in cannot be enqueued; what was not set before that is missing below.
        generated(asked, None, None, None, *stand_ins)
    if sorted(asked.given) != list(range(len(arguments.info.args))):
        return generated, None
    given = [asked.given[index] for index in range(len(asked.given))]
    if not all(isinstance(stand_in, _StandIn) for stand_in, _ in given):
        return generated, None
    arrays = bytes(sum(ASKED.get(name, 0) for name in each.read) for each in stand_ins)
    is_plain = [stand_in for stand_in, _ in given] == stand_ins
    layout = ([number for _, number in given], [(stand_in.argument, PARTS[stand_in.part]) for stand_in, _ in given],
              b"" if is_plain and not any(arrays) else arrays)
    packer = arguments.packer([number for _, number in given])
    if packer is None:
        return generated, layout
    pack, order = packer
    make = _made(_source(stand_ins, [given[index] for index in order]))
    return make(arguments.context, Buffer, pack, arguments.unset, generated, enqueue, REFUSALS), layout


def know_arrays(array_class: Any) -> None:
    """Tells the calls in C of PyOpenCL's arrays."""
    array, flags = array_class.__new__(array_class), object()
    array._flags = flags
    if getattr(array, "flags", None) is flags:
        know("array", array_class)


@lru_cache(256)
def _made(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(compile(source, "<cl2cuda: call of a kernel with declared types>", "exec"), names)
    return names["make"]


def _source(stand_ins: Sequence[_StandIn], given: Sequence[tuple[_StandIn, str | None]]) -> str:
    """`given` in the order in which `pack` takes the arguments."""
    names = [each.expression for each in stand_ins]
    buffers = {stand_in.expression: f"b{place}" for place, (stand_in, number) in enumerate(given) if number is None}
    found = [f"{name} = {expression}._core" for expression, name in buffers.items()]
    needed = [f"{name}.__class__ is Buffer and {name}.context is context" for name in buffers.values()]
    # What PyOpenCL's code asks of arrays, unless Python runs without assertions.
    needed += [f"{each.expression}.flags.forc" for each in stand_ins if "flags" in each.read]
    needed += [f"{each.expression}.queue in (None, queue)" for each in stand_ins if "queue" in each.read]
    packed = [stand_in.expression if number else "{0}._storage.memory + {0}.offset".format(buffers[stand_in.expression])
              for stand_in, number in given]
    events = [f"*{each.expression}.events" for each in stand_ins if "events" in each.read]
    return _TEXT.format(parameters="".join(f"{name}, " for name in names), found="; ".join(found) or "pass",
                        needed=" and ".join(needed) or "True", packed=", ".join(packed),
                        wait_for=f"[*(wait_for or ()), {', '.join(events)}]" if events else "wait_for")


_TEXT = """
def make(context, Buffer, pack, unset, generated, enqueue, refusals):
    def call(self, queue, global_size, local_size, {parameters}global_offset=None, g_times_l=False, allow_empty_ndrange=False,
             wait_for=None):
        try:
            {found}
            if not ({needed}):
                raise TypeError
            pack({packed})
        except refusals:
            return generated(self, queue, global_size, local_size, {parameters}global_offset, g_times_l, allow_empty_ndrange, wait_for)
        if unset:
            unset.clear()
        return enqueue(queue, self, global_size, local_size, global_offset, {wait_for}, g_times_l, allow_empty_ndrange)

    return call
"""
