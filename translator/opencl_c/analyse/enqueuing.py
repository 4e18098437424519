"""Functions that take blocks to run as kernels (specification 6.15.19): what their arguments must be."""

from __future__ import annotations

from ...ir import nodes as ir
from ...ir.types import BUILTIN_TYPES, INT, UINT, BlockType, Pointer, Record, Scalar, Type, Vector, Void, innermost
from .scope import Unit

_QUEUE, _FLAGS, _RANGE, _EVENT = (BUILTIN_TYPES[n] for n in ("queue_t", "kernel_enqueue_flags_t", "ndrange_t", "clk_event_t"))
_EVENTS = (UINT, Pointer(_EVENT, "generic", const=True), Pointer(_EVENT, "generic"))
_LOCAL_TYPES = "cl_khr_device_enqueue_local_arg_types"


class Enqueuing:
    def __init__(self, unit: Unit):
        self.unit = unit

    def call(self, name: str, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        if self.unit.function is not None:
            self.unit.function.builtins.add(name)
        if name == "enqueue_kernel":
            return self._enqueue_kernel(arguments, pos)
        lead = [_RANGE] if name.endswith("_for_ndrange") else []
        if len(arguments) != len(lead) + 1:
            few = "few" if len(arguments) < len(lead) + 1 else "many"
            raise self.unit.fail(pos, f"too {few} arguments to function call, expected {len(lead) + 1}, have {len(arguments)}")
        self._block(name, arguments[-1], pos)
        return ir.Intrinsic(UINT, pos, name, [*self._converted(arguments[:-1], lead), arguments[-1]])

    def _enqueue_kernel(self, arguments: list[ir.Expr], pos: int) -> ir.Expr:
        """(queue, flags, ndrange, block, sizes…), or with a wait list and an event before the block."""
        at = next((i for i, a in enumerate(arguments) if isinstance(a.type, BlockType)), 0)
        if at not in (3, 6):
            raise self.unit.fail(pos, "illegal call to enqueue_kernel: a queue, flags and an ND-range stand before the block, or these, "
                                      "the number of events to wait for, the events and the place for an event")
        types: list[Type] = [_QUEUE, _FLAGS, _RANGE, *(_EVENTS if at == 6 else ())]
        block, sizes = arguments[at], arguments[at + 1 :]
        expected = len(self._block("enqueue_kernel", block, pos).parameters)
        if len(sizes) != expected:
            raise self.unit.fail(pos, f"mismatch in number of block parameters and local size arguments passed: the block has {expected}, "
                                      f"{len(sizes)} sizes are given")
        for size in sizes:
            if not isinstance(size.type, Scalar) or size.type.kind == "float":
                raise self.unit.fail(size.pos, "local memory sizes need to be specified as uint")
        # C++ takes all of these overloads for one: with events it has another name.
        name = "enqueue_kernel_after" if at == 6 else "enqueue_kernel"
        converted = self._converted(arguments[:at], types)
        return ir.Intrinsic(INT, pos, name, [*converted, block, *self._converted(sizes, [UINT] * len(sizes))])

    def _converted(self, arguments: list[ir.Expr], types: list[Type]) -> list[ir.Expr]:
        convert, doing = self.unit.conversions.convert, "passing to parameter of type"
        return [convert(argument, type, doing) for argument, type in zip(arguments, types, strict=True)]

    def _block(self, name: str, argument: ir.Expr, pos: int) -> ir.Function:
        type = argument.type
        if not isinstance(type, BlockType):
            raise self.unit.fail(pos, f"illegal call to '{name}', expected block argument, not '{type}'")
        if not isinstance(type.result, Void):
            raise self.unit.fail(pos, f"blocks used in '{name}' return nothing, this one '{type.result}'")
        for parameter in type.parameters:
            self._check_parameter(name, parameter, pos)
        return self.unit.blocks.launched(argument, pos)

    def _check_parameter(self, name: str, type: Type, pos: int) -> None:
        """"Each argument must be declared to be a void pointer to local memory", or with the extension to "any of the built-in OpenCL C
        scalar or vector integer or floating-point data types, or any user defined type built from these"."""
        if not isinstance(type, Pointer) or type.space != "local":
            raise self.unit.fail(pos, f"blocks used in '{name}' are expected to have parameters of type 'local void *', not '{type}'")
        pointee = innermost(type.pointee)
        if isinstance(pointee, Void):
            return
        if not isinstance(pointee, (Scalar, Vector, Record)) or not self.unit.dialect.has(_LOCAL_TYPES):
            raise self.unit.fail(pos, f"blocks used in '{name}' are expected to have parameters of type 'local void *', not '{type}'")
