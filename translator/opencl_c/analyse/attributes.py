"""Attributes: those of functions (specification 6.9.2, 6.13.2, cl_intel_required_subgroup_size), checked and kept for the kernel's
metadata; and which there are at all, for unknown ones are ignored with a warning, as clang does.

Attributes of types and variables are handled where their declarations are analysed.
"""

from __future__ import annotations

from pycparser import c_ast

from ...ir import nodes as ir
from ...ir.constants import folded_value
from ...ir.sub_group_sizes import SUB_GROUP_SIZES
from ...ir.types import BOOL, Scalar, Vector
from ..attribute_names import KNOWN
from ..parse.tree import Attribute
from .scope import Unit

_SIZES = ("reqd_work_group_size", "work_group_size_hint")
_KERNELS_ONLY = (*_SIZES, "vec_type_hint", "intel_reqd_sub_group_size")


def check(unit: Unit, node: c_ast.Node) -> None:
    """Warns of the attributes on a declaration or statement that mean nothing to us."""
    for attribute in getattr(node, "attributes", None) or ():
        if attribute.name == "mode" and not isinstance(node, c_ast.Typedef):
            unit.error(attribute.coord, "attribute 'mode' of what is no typedef is not supported yet by cl2cuda")
        elif attribute.name not in KNOWN:
            unit.warning(attribute.coord, f"unknown attribute '{attribute.name}' ignored")


def check_variable(unit: Unit, node: c_ast.Decl) -> None:
    """As `check`, of a variable."""
    check(unit, node)
    for attribute in getattr(node, "attributes", None) or ():
        if attribute.name in _KERNELS_ONLY:  # 6.13.2: they qualify a kernel's declaration
            unit.error(attribute.coord, f"attribute '{attribute.name}' only applies to functions")


def apply(unit: Unit, function: ir.Function, decl: c_ast.Decl) -> None:
    """Notes what a declaration of the function says about it, in the order of its text."""
    check(unit, decl)
    for attribute in getattr(decl, "attributes", None) or ():
        name = attribute.name
        if name in _KERNELS_ONLY and not function.kernel:
            unit.error(attribute.coord, f"attribute '{name}' can only be applied to an OpenCL kernel function")
        elif name in _SIZES:
            function.attributes[name] = _three_sizes(unit, attribute)
        elif name == "vec_type_hint":
            function.attributes[name] = (_hinted_type(unit, attribute),)
        elif name == "intel_reqd_sub_group_size":
            function.attributes[name] = (_sub_group_size(unit, attribute),)
        elif name == "nosvm" and function.kernel:
            function.attributes[name] = ()
        elif name == "nosvm":  # 6.13.3: "can be used with a pointer variable [...] the compiler can ignore it"
            unit.warning(attribute.coord, "attribute 'nosvm' only applies to pointer variables")
        elif name == "noinline":
            function.noinline = True
        elif name == "overloadable":
            function.overloaded = True


def _three_sizes(unit: Unit, attribute: Attribute) -> tuple[int, ...]:
    sizes = tuple(folded_value(unit.expressions.analyse(a)) for a in attribute.args or ())
    if len(sizes) != 3 or any(s is None or s <= 0 for s in sizes):
        raise unit.fail(attribute.coord, f"'{attribute.name}' attribute requires three positive integer constants")
    return sizes  # type: ignore[return-value]


def _hinted_type(unit: Unit, attribute: Attribute) -> Scalar | Vector:
    """6.9.2: "<type> is one of the built-in vector types [...] or the constituent scalar element types"."""
    if len(attribute.args or ()) != 1:
        raise unit.fail(attribute.coord, "'vec_type_hint' attribute takes one type")
    type = unit.declarations.type_name(attribute.args[0])
    if not isinstance(type, (Scalar, Vector)) or type == BOOL:
        raise unit.fail(attribute.coord, f"a non-vector or non-vectorizable scalar type is invalid for 'vec_type_hint': '{type}'")
    return type


def _sub_group_size(unit: Unit, attribute: Attribute) -> int:
    size = folded_value(unit.expressions.analyse(attribute.args[0])) if len(attribute.args or ()) == 1 else None
    if size not in SUB_GROUP_SIZES:
        raise unit.fail(attribute.coord, f"'{attribute.name}' attribute requires one of the sub-group sizes {SUB_GROUP_SIZES}")
    return size
