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

from ..runtime.buffer import Buffer

# What a call raises that meets an argument which is not as declared.
REFUSALS = (AttributeError, OverflowError, TypeError, ValueError, struct.error)


class _StandIn:
    """For an argument, or for part of one. `read` are the attributes of arrays that were asked for."""

    def __init__(self, expression: str):
        self.expression = expression
        self.read: set[str] = set()

    def _of_an_array(self, name: str, value: Any) -> Any:
        self.read.add(name)
        return value

    base_data = property(lambda self: self._of_an_array("base_data", _StandIn(f"{self.expression}.base_data")))
    offset = property(lambda self: self._of_an_array("offset", _StandIn(f"{self.expression}.offset")))
    flags = property(lambda self: self._of_an_array("flags", SimpleNamespace(forc=True)))
    queue = property(lambda self: self._of_an_array("queue", None))
    events = property(lambda self: self._of_an_array("events", ()))


class _Asked:
    """For the kernel. `given` has for each of its arguments the stand-in, and for a number its format."""

    def __init__(self) -> None:
        self.given: dict[int, tuple[_StandIn, str | None]] = {}

    def _set_arg_multi(self, pairs: tuple[Any, ...]) -> None:
        self.given |= {index: (stand_in, None) for index, stand_in in zip(pairs[::2], pairs[1::2], strict=True)}

    def _set_arg_buf_pack_multi(self, triples: tuple[Any, ...]) -> None:
        for index, char, stand_in in zip(triples[::3], triples[1::3], triples[2::3], strict=True):
            self.given[index] = stand_in, char.decode().replace("c", "b")  # PyOpenCL's "c" is a number.


def quick(arguments: Any, generated: Callable[..., Any], enqueue: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel's `__call__`: our function, or `generated` for kernels that ours is not for. `arguments` is the kernel's argument
    block; `enqueue` is enqueue_nd_range_kernel."""
    count = generated.__code__.co_argcount - len(("self", "queue", "global_size", "local_size", *(generated.__defaults__ or ())))
    stand_ins, asked = [_StandIn(f"a{number}") for number in range(count)], _Asked()
    with contextlib.suppress(Exception):  # A stand-in cannot be enqueued; what was not set before that is missing below.
        generated(asked, None, None, None, *stand_ins)
    if sorted(asked.given) != list(range(len(arguments.info.args))):
        return generated
    given = [asked.given[index] for index in range(len(asked.given))]
    packer = arguments.packer([number for _, number in given])
    if packer is None or not all(isinstance(stand_in, _StandIn) for stand_in, _ in given):
        return generated
    pack, order = packer
    make = _made(_source(stand_ins, [given[index] for index in order]))
    return make(arguments.context, Buffer, pack, arguments.unset, generated, enqueue, REFUSALS)


@lru_cache(256)
def _made(source: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(compile(source, "<cl2cuda: call of a kernel with declared types>", "exec"), names)
    return names["make"]


def _source(stand_ins: Sequence[_StandIn], given: Sequence[tuple[_StandIn, str | None]]) -> str:
    names = ", ".join(each.expression for each in stand_ins)
    arrays = "".join(f"if not {each.expression}.flags.forc: raise TypeError\n            " * ("flags" in each.read)
                     + f"if {each.expression}.queue not in (None, queue): raise TypeError\n            " * ("queue" in each.read)
                     for each in stand_ins)
    events = "".join(f", *{each.expression}.events" for each in stand_ins if "events" in each.read)
    buffers = {stand_in.expression: f"b{number}" for number, (stand_in, _) in enumerate(item for item in given if item[1] is None)}
    found = "".join(f"{name} = {expression}._core\n            " for expression, name in buffers.items())
    wrong = " or ".join(f"{name}.__class__ is not Buffer or {name}.context is not context" for name in buffers.values()) or "False"
    packed = ", ".join(stand_in.expression if number else "{0}._storage.address + {0}.offset".format(buffers[stand_in.expression])
                       for stand_in, number in given)
    return f"""
def make(context, Buffer, pack, unset, generated, enqueue, refusals):
    def call(self, queue, global_size, local_size, {names}{", " * bool(names)}global_offset=None, g_times_l=False,
             allow_empty_ndrange=False, wait_for=None):
        try:
            {arrays}{found}if {wrong}:
                raise TypeError
            pack({packed})
        except refusals:
            return generated(self, queue, global_size, local_size, {names}{", " * bool(names)}global_offset, g_times_l, allow_empty_ndrange,
                             wait_for)
        if unset:
            unset.clear()
        return enqueue(queue, self, global_size, local_size, global_offset,
                       {f"[*(wait_for or ()){events}]" if events else "wait_for"}, g_times_l, allow_empty_ndrange)

    return call
"""
