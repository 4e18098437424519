"""Sums that take a product in, without rounding it first, as OpenCL C lets compilers do within an expression (6.12.2, FP_CONTRACT).

A compiler that computes equal products once finds them used twice, and contracts none of the sums: `x * x - y * y` beside
`x * x + y * y` became two products and two sums. So these are written as `mad`, as clang's front end does with all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import NamedTuple

from . import nodes as ir
from .alike import alike
from .types import HALF, Scalar, Type, Vector
from .walk import nodes_of_kinds

_BINARY = frozenset((ir.Binary,))


class Contraction(NamedTuple):
    """first * second + added"""

    first: ir.Expr
    second: ir.Expr
    added: ir.Expr


def contractions(function: ir.Function) -> dict[ir.Binary, Contraction]:
    """The sums and differences of a function that have a product which it computes more than once. A product beside it that occurs once is
    the compiler's to contract; and a product is not taken into its own sum or difference, which is exactly twice as much, or nothing."""
    sums: list[ir.Binary] = []
    products: dict[ir.Expr, Hashable] = {}
    for each in nodes_of_kinds(function.body, _BINARY):
        if each.op == "*" and _is_floating(each):
            products[each] = _product_key(each)
        elif each.op in ("+", "-") and _is_floating(each):
            sums.append(each)
    if not sums:
        return {}
    times = Counter(key for key in products.values() if key is not None)
    repeated = {each for each, key in products.items() if times[key] > 1}
    return dict(_found(sums, products, repeated)) if repeated else {}


def _found(sums: list[ir.Binary], products: dict[ir.Expr, Hashable],
           repeated: set[ir.Expr]) -> Iterator[tuple[ir.Binary, Contraction]]:
    for each in sums:
        left, right = each.left, each.right
        if left in repeated and right in repeated and products[left] == products[right]:
            continue
        if left in repeated and (right in repeated or right not in products):
            assert isinstance(left, ir.Binary)
            yield each, Contraction(left.left, left.right, right if each.op == "+" else _negative(right))
        elif right in repeated and left not in products:
            assert isinstance(right, ir.Binary)
            yield each, Contraction(right.left if each.op == "+" else _negative(right.left), right.right, left)


def _negative(expr: ir.Expr) -> ir.Expr:
    """Its conversion stays in sight, as that of a number does by itself."""
    if isinstance(expr, ir.Cast) and expr.implicit:
        if isinstance(expr.operand, ir.Number):
            return replace(expr, operand=ir.Unary(expr.operand.type, expr.pos, "-", expr.operand))
        expr = replace(expr, implicit=False)
    return ir.Unary(expr.type, expr.pos, "-", expr)


def _is_floating(expr: ir.Binary) -> bool:
    """Whether it is arithmetic in `float` or `double`, or their vectors, with no operand of another type."""
    element: Type = expr.type.element if isinstance(expr.type, Vector) else expr.type
    return (isinstance(element, Scalar) and element.kind == "float" and element != HALF
            and expr.left.type == expr.type and expr.right.type == expr.type)


def _product_key(product: ir.Binary) -> Hashable:
    """Equal for products of equal factors, in any order; None where they are none that a compiler would know for equal."""
    left, right = alike(product.left), alike(product.right)
    return None if left is None or right is None else frozenset(Counter((left, right)).items())
