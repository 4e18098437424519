"""Calls: of the module's functions, and of OpenCL.std's, which are OpenCL C's built-in functions under names that say the sign."""

from __future__ import annotations

import dataclasses

from ..ir import nodes as ir
from ..ir.types import BOOL, DOUBLE, FLOAT, VOID, Pointer, Vector
from . import build, library, printf
from .body import Body, Rule
from .grammar import enumerant_name, opencl_std
from .reader import Instruction
from .uses import Kind

# OpenCL.std's names that are not OpenCL C's, besides those that begin with s_ or u_.
_NAMES = {"fclamp": "clamp", "fmax_common": "max", "fmin_common": "min"}
_ACTS = frozenset("vstoren vstore_half vstore_half_r vstore_halfn vstore_halfn_r vstorea_halfn vstorea_halfn_r printf prefetch fract frexp "
                  "lgamma_r modf remquo sincos".split())
_READS = frozenset("vloadn vload_half vload_halfn vloada_halfn".split())
_ROUNDINGS = {"RTE": "_rte", "RTZ": "_rtz", "RTP": "_rtp", "RTN": "_rtn"}


def _name(each: Instruction) -> str:
    return opencl_std()[each.operands[1]][0]


def _kind(body: Body, each: Instruction) -> Kind:
    if body.module.imports.get(each.operands[0]) != "OpenCL.std":
        raise each.fail(f"id {each.operands[0]} is no instruction set")
    name = _name(each)
    return "acts" if name in _ACTS else "reads" if name in _READS else "pure"


def _extended(body: Body, each: Instruction) -> ir.Expr | None:
    name = _name(each)
    if name == "printf":
        return body.fitted(printf.call(body, each), body.value_type(each), each)
    if name.startswith(("vload", "vstore")):
        return _vector_data(body, each, name)
    arguments = [body.value(id, each) for id in each.operands[2:]]
    if name == "prefetch":
        return None  # a hint; CUDA's caches need none
    sign = name.startswith("s_")
    plain = _NAMES.get(name) or (name[2:] if name.startswith(("s_", "u_")) else name)
    if name in ("shuffle", "shuffle2"):
        arguments[-1] = library.reinterpreted(arguments[-1], build.with_sign(arguments[-1].type, False))
    if name == "select":
        sign = True
    result = body.value_type(each)
    if (name == "mad" and body.program.contract and len(arguments) == 3
            and all(a.type == result and _element(a) in (FLOAT, DOUBLE) for a in arguments)):
        a, b, c = arguments
        return _product_and_sum(a, b, c, each.offset)
    return body.call(plain, arguments, each, signed=sign, result=result)


def _product_and_sum(a: ir.Expr, b: ir.Expr, c: ir.Expr, pos: int) -> ir.Expr:
    """`mad`, "either as a correctly rounded fma or as a multiply followed by an add": clang makes it of OpenCL C's products and sums, and
    CUDA's compiler fuses it as it does those, where the module lets it."""
    positive_a, positive_c = _opposite(a), _opposite(c)
    if positive_a is not None:
        return ir.Binary(c.type, pos, "-", c, ir.Binary(c.type, pos, "*", positive_a, b))
    product = ir.Binary(c.type, pos, "*", a, b)
    return ir.Binary(c.type, pos, "+", product, c) if positive_c is None else ir.Binary(c.type, pos, "-", product, positive_c)


def _opposite(value: ir.Expr) -> ir.Expr | None:
    """`x` of `-x`, and `x * y` of `x * -y`, rounded or not; None of anything else."""
    if isinstance(value, ir.Unary) and value.op == "-":
        return value.operand
    if isinstance(value, ir.Binary) and value.op == "*":
        right = _opposite(value.right)
        return None if right is None else dataclasses.replace(value, right=right)
    return None


def _element(value: ir.Expr) -> object:
    return value.type.element if isinstance(value.type, Vector) else value.type


def _vector_data(body: Body, each: Instruction, name: str) -> ir.Expr | None:
    operands = each.operands[2:]
    if name.startswith("vload"):
        offset, pointer = body.value(operands[0], each), body.value(operands[1], each)
        type = body.value_type(each)
        n = str(operands[2]) if name.endswith("n") else ""
        if n and (not isinstance(type, Vector) or type.width != operands[2]) and n != "1":
            raise each.fail(f"it loads {n} components and gives a '{type}'")
        made = body.call(name.removesuffix("n") + n, [offset, pointer], each)
        return body.fitted(made, type, each)
    data, offset, pointer = (body.value(id, each) for id in operands[:3])
    rounding = _ROUNDINGS[enumerant_name("FPRoundingMode", operands[3])] if name.endswith("_r") else ""
    plain = name.removesuffix("_r")
    n = str(data.type.width) if plain.endswith("n") and isinstance(data.type, Vector) else ""
    return body.call(plain.removesuffix("n") + n + rounding, [data, offset, pointer], each)


def _function(body: Body, each: Instruction) -> ir.Expr:
    function = body.program.callee(each.operands[0], each)
    given = [body.value(id, each) for id in each.operands[1:]]
    by_value = body.program.by_value[function]
    if len(given) != len(by_value):
        raise each.fail(f"'{function.name}' takes {len(by_value)} arguments, not {len(given)}")
    arguments = []
    for argument, parameter, copied in zip(given, function.parameters, by_value, strict=False):
        if copied and isinstance(argument.type, Pointer):
            argument = build.at(argument)
        arguments.append(body.fitted(argument, parameter.type, each))
    for id in body.program.local_uses[each.operands[0]] if not function.kernel else ():
        arguments.append(body.program.address(body.module.defined[id], body, each))
    return ir.Call(function.result, each.offset, function, arguments)


def _assume(body: Body, each: Instruction) -> None:
    body.act(ir.Intrinsic(VOID, each.offset, "assume", [body.fitted(body.operand(each, 0), BOOL, each)]))


RULES: dict[str, Rule] = {
    "OpExtInst": Rule(_extended, _kind), "OpFunctionCall": Rule(_function, "acts"), "OpAssumeTrueKHR": Rule(_assume, "acts"),
}
