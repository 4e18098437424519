"""What may be declared, loaded and passed with which type: the types that are less than data (specification 6.3.1.2, 6.3.3, 6.11).

half without cl_khr_fp16 lives behind pointers only; images, samplers, events, queues, pipes and their like are handed over to
functions and little else. Address spaces of ordinary variables are `__init__`'s and `statements`' business.
"""

from __future__ import annotations

import dataclasses

from pycparser import c_ast

from ....builtins.opaque import OPAQUE, in_library
from ...ir import nodes as ir
from ...ir.constants import integer_value
from ...ir.types import (
    BUILTIN_TYPES,
    HALF,
    INT,
    FunctionType,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    element_of,
    innermost,
    size_of,
)
from .scope import Qualified, Unit

# A reservation that work-items share may lie in local memory, and an array of them in global memory.
_PRIVATE = ("event", "clk_event", "ndrange")
_NO_PROGRAM_SCOPE = ("event", "clk_event", "reserve_id", "queue", "ndrange")
_ACCESS = ("read_only", "write_only", "read_write")
_SIZES = ("size_t", "ptrdiff_t", "intptr_t", "uintptr_t")


def _value_type(atomic: Opaque) -> Scalar:
    """Of what an atomic object is initialised with; a flag with ATOMIC_FLAG_INIT (6.15.12.7.6)."""
    name = atomic.name.removeprefix("atomic_")
    found = INT if name == "flag" else BUILTIN_TYPES[name]
    assert isinstance(found, Scalar)
    return found


def opaque_kind(type: Type) -> str:
    return type.kind if isinstance(type, Opaque) else ""


def is_handed_over_only(type: Type) -> bool:
    """6.11.b: images and samplers, and pipes (6.15.18), are for the arguments of functions and nothing else."""
    return opaque_kind(type) in ("image", "sampler", "pipe")


class Restrictions:
    def __init__(self, unit: Unit):
        self.unit = unit
        self.half = unit.dialect.has("cl_khr_fp16")
        self.size_names = set(_SIZES)  # and what is defined as one of them at program scope

    def note_typedef(self, name: str, type: Type) -> None:
        if type.alias in self.size_names and self.unit.scope is self.unit.program_scope:
            self.size_names.add(name)

    # -- types themselves --------------------------------------------------------------------------------------------

    def check_type(self, type: Type, pos: int) -> None:
        """What a program needs to name a type (6.3.1, 6.3.3)."""
        required, element = "", element_of(type)
        if isinstance(element, Scalar):
            if element.name == "double":
                required = "cl_khr_fp64"
            elif element.name == "half" and isinstance(type, Vector):
                required = "cl_khr_fp16"
        elif isinstance(type, Opaque):
            row = OPAQUE[type.name]
            required = row.requires if self.unit.dialect.version < row.core else ""
            if not in_library(type.name):
                self.unit.not_in_library.setdefault(type.name, pos)
        if required and not self.unit.dialect.has(required):
            raise self.unit.fail(pos, f"use of type '{type}' requires {required} support")

    def with_access(self, type: Type, qualifiers: list[str], pos: int) -> Type:
        """An image's access qualifier (6.8), read_only unless said otherwise, and `pipe`, which makes a type one of packets."""
        unit = self.unit
        words = [q for q in qualifiers if q in _ACCESS]
        if len(set(words)) > 1:
            raise unit.fail(pos, "multiple access qualifiers")
        access = words[0] if words else None
        if "pipe" in qualifiers:
            return self._pipe(type, access, pos)
        if opaque_kind(type) not in ("image", "pipe"):
            if access:
                unit.error(pos, "access qualifier can only be used for pipe and image type")
            return type
        assert isinstance(type, Opaque)
        if access == "read_write" and type.kind == "image" and not unit.dialect.has("__opencl_c_read_write_images"):
            unit.error(pos, f"access qualifier 'read_write' can not be used for '{type}' prior to OpenCL C version 2.0 or in version "
                                 "3.0 and without __opencl_c_read_write_images feature")
        if access and type.access and access != type.access and (type.alias or type.kind == "pipe"):
            raise unit.fail(pos, "multiple access qualifiers")
        if access and access == type.access and type.alias:
            unit.warning(pos, f"duplicate '{access}' declaration specifier")
        return dataclasses.replace(type, access=access or type.access or "read_only")

    def _pipe(self, packet: Type, access: str | None, pos: int) -> Type:
        if not self.unit.dialect.has("__opencl_c_pipes"):
            raise self.unit.fail(pos, "OpenCL C before 2.0, or 3.0 without __opencl_c_pipes, does not support 'pipe'")
        if access == "read_write":
            self.unit.error(pos, "access qualifier 'read_write' can not be used for a pipe")
        if isinstance(packet, Opaque) and packet.kind != "reserve_id":
            raise self.unit.fail(pos, f"a pipe's packets cannot be of type '{packet}'")
        return Opaque("pipe", access or "read_only", packet)

    def report_missing(self) -> None:
        """A valid program may still name types that have no code yet."""
        for name, pos in self.unit.not_in_library.items():
            self.unit.error(pos, f"type '{name}' is not supported yet by cl2cuda")

    # -- half without cl_khr_fp16 ------------------------------------------------------------------------------------

    def _is_storage(self, type: Type) -> bool:
        return not self.half and type == HALF

    def check_load(self, expr: ir.Expr) -> None:
        if self._is_storage(expr.type):
            raise self.unit.fail(expr.pos, "loading directly from pointer to type 'half' requires cl_khr_fp16. "
                                           "Use vector data load builtin functions instead")

    def check_store(self, expr: ir.Expr, pos: int) -> None:
        """6.11.b: "An image function argument cannot be modified", "A sampler argument or variable cannot be modified"."""
        if expr.type.is_plain:
            return
        if self._is_storage(expr.type):
            raise self.unit.fail(pos, "assigning directly to pointer to type 'half' requires cl_khr_fp16. "
                                      "Use vector data store builtin functions instead")
        if is_handed_over_only(expr.type):
            raise self.unit.fail(pos, f"an object of type '{expr.type}' cannot be modified")

    def from_integer(self, expr: ir.Expr, type: Opaque, doing: str, pos: int) -> ir.Expr:
        """What an object without operators can be made of: a sampler of a constant, the null event or queue of 0."""
        value = integer_value(expr)
        if type.kind == "sampler" and value is None:
            raise self.unit.fail(pos, f"{doing} '{type}' from an expression that is no integer constant")
        if type.kind == "sampler" and size_of(expr.type) > 4:  # 6.15.15.1: "a 32-bit unsigned integer constant"
            raise self.unit.fail(pos, f"sampler_t initialization requires a 32-bit integer, not '{expr.type}'")
        if type.kind == "atomic":
            expr = self.unit.conversions.to_scalar(expr, _value_type(type))
        if type.kind == "atomic" or type.kind == "sampler" or (type.kind in ("event", "clk_event", "queue", "reserve_id") and value == 0):
            return ir.Cast(type, expr.pos, expr, True)
        raise self.unit.fail(pos, f"{doing} '{type}' from an expression of incompatible type '{expr.type}'")

    def check_cast(self, type: Type, pos: int) -> None:
        if self._is_storage(type):
            raise self.unit.fail(pos, "casting to type 'half' is not allowed without cl_khr_fp16")

    # -- declarations ------------------------------------------------------------------------------------------------

    def check_variable(self, q: Qualified, space: str, pos: int, program_scope: bool) -> None:
        inner = innermost(q.type)
        if inner.is_plain and not isinstance(inner, Pointer):
            return
        unit, kind = self.unit, opaque_kind(inner)
        if self._is_storage(inner):
            raise unit.fail(pos, f"declaring variable of type '{q.type}' is not allowed without cl_khr_fp16")
        if kind in ("image", "pipe"):
            raise unit.fail(pos, f"type '{q.type}' can only be used as a function parameter in OpenCL")
        if kind == "named_barrier":
            raise unit.fail(pos, f"a variable of type '{q.type}' cannot be declared: named_barrier_init makes them and gives pointers")
        if kind == "sampler":
            if space in ("local", "global") and not (program_scope and q.space is None):
                raise unit.fail(pos, "type 'sampler_t' cannot be used with the __local and __global address space qualifiers")
            if program_scope and space != "constant" and not q.const:
                raise unit.fail(pos, "a program scope variable of type 'sampler_t' requires a const or constant address space qualifier")
        if kind in _NO_PROGRAM_SCOPE and program_scope:
            raise unit.fail(pos, f"the '{q.type}' type cannot be used to declare a program scope variable")
        if kind in _PRIVATE and space != "private":
            raise unit.fail(pos, f"the '{inner}' type can only be used with the private address space")
        self.check_qualifiers(q, pos)
        self._check_function_pointer(q.type, pos)

    def check_parameter(self, q: Qualified, type: Type, pos: int) -> None:
        if type.is_plain and not isinstance(type, Pointer):
            return
        if self._is_storage(type):
            self.unit.error(pos, "declaring function parameter of type 'half' is not allowed without cl_khr_fp16; "
                                 "did you forget * ?")
        self.check_qualifiers(q, pos)
        self._check_function_pointer(type, pos)

    def check_result(self, q: Qualified, pos: int) -> None:
        """The return type of a function (6.7, 6.11.b)."""
        if self._is_storage(q.type):
            raise self.unit.fail(pos, "declaring function return value of type 'half' is not allowed without cl_khr_fp16; "
                                      "did you forget * ?")
        if is_handed_over_only(q.type):
            raise self.unit.fail(pos, f"declaring function return value of type '{q.type}' is not allowed")
        if q.space is not None:
            self.unit.error(pos, "return type may not be qualified with an address space")

    def check_field(self, type: Type, pos: int) -> None:
        inner = innermost(type)
        if opaque_kind(inner) in ("image", "sampler", "event", "pipe", "named_barrier"):
            raise self.unit.fail(pos, f"the '{inner}' type cannot be used to declare a structure or union field")
        self._check_function_pointer(type, pos)

    def check_flexible_field(self, record: Record, name: str, pos: int, *, first: bool, last: bool) -> None:
        """6.11.d: "structures with flexible (or unsized) arrays are not supported". clang takes them where C99 does, and so do the drivers
        that are made of it."""
        if record.kind == "union":
            raise self.unit.fail(pos, f"flexible array member '{name}' in a union is not allowed")
        if first or not last:
            place = "in otherwise empty struct" if first and last else "that is not at the end of its struct"
            raise self.unit.fail(pos, f"flexible array member '{name}' {place} is not allowed")
        self.unit.warning(pos, "structures with flexible array members are no part of OpenCL C")

    def check_element(self, type: Type, pos: int) -> None:
        if is_handed_over_only(type):
            raise self.unit.fail(pos, f"array of '{type}' type is invalid in OpenCL")

    def check_pointee(self, type: Type, pos: int) -> None:
        if is_handed_over_only(type):
            raise self.unit.fail(pos, f"pointer to type '{type}' is invalid in OpenCL")

    def check_storage_class(self, storage: list[str], pos: int) -> None:
        """6.10: extern and static since OpenCL C 1.2; auto and register never."""
        if not storage:
            return
        version = self.unit.dialect.version
        if len(set(storage)) > 1:
            self.unit.error(pos, f"cannot combine '{storage[1]}' with previous '{storage[0]}' declaration specifier")
        for word in storage:
            if word in ("auto", "register") or (word in ("static", "extern") and version < 120):
                shown = f"{version // 100}.{version % 100 // 10}"
                self.unit.error(pos, f"OpenCL C version {shown} does not support the '{word}' storage class specifier")

    def check_space(self, node: c_ast.Decl, space: str) -> None:
        """6.7.6: which address space a variable inside a function may be in."""
        unit, static, function = self.unit, "static" in node.storage, self.unit.function
        assert function is not None
        spaces = ("global", "constant") if unit.dialect.program_scope_globals else ("constant",)
        if static and space not in spaces:
            unit.error(node.coord, f"static local variable must reside in {' or '.join(spaces)} address space")
        if static or space == "private":
            return
        if space == "global":
            unit.error(node.coord, "variables in function scope cannot be in the global address space")
        elif space == "generic":  # 6.7.5: which only pointers lead to
            unit.error(node.coord, "automatic variable qualified with an invalid address space")
        elif not function.kernel:
            unit.error(node.coord, f"non-kernel function variable cannot be declared in {space} address space")
        elif unit.scope.parent is not unit.program_scope:
            unit.error(node.coord, f"variables in the {space} address space can only be declared in the outermost scope of a "
                                   "kernel function")

    def check_qualifiers(self, q: Qualified, pos: int) -> None:
        """6.11.q: const, restrict and volatile are not for images."""
        if opaque_kind(q.type) == "image" and (q.const or q.volatile):
            self.unit.warning(pos, f"'{'const' if q.const else 'volatile'}' has no meaning for an image")

    def _check_function_pointer(self, type: Type, pos: int) -> None:
        """6.11.a: "Pointers to functions are not allowed"."""
        inner = innermost(type)
        while isinstance(inner, Pointer):
            inner = innermost(inner.pointee)
            if isinstance(inner, FunctionType):
                self.unit.error(pos, "pointers to functions are not allowed")

    # -- kernels -----------------------------------------------------------------------------------------------------

    def check_kernel_parameter(self, p: ir.Variable) -> None:
        """6.11.a, m, r, s, t: what a kernel may take."""
        unit, type = self.unit, p.type
        if isinstance(type, Pointer):
            self._check_kernel_pointer(p, type)
        elif unsuitable := self._unsuitable(type):
            unit.error(p.pos, f"'{unsuitable}' cannot be used as the type of a kernel parameter")
        elif isinstance(type, Record):
            if self._holds_pointer(type):
                unit.error(p.pos, f"'{type}' cannot be used as the type of a kernel parameter: it holds a pointer")
            elif field := self._unsuitable_field(type):
                unit.error(p.pos, f"'{type}' cannot be used as the type of a kernel parameter: it holds a field of type '{field}'")

    def _check_kernel_pointer(self, p: ir.Variable, type: Pointer) -> None:
        if type.space in ("private", "generic"):
            self.unit.error(p.pos, "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' "
                                   "address space")
        inner = innermost(type.pointee)
        if opaque_kind(inner) == "named_barrier":
            self.unit.error(p.pos, f"kernel parameter cannot be a pointer to '{inner}'")
        if isinstance(inner, Pointer):
            if self.unit.dialect.version < 200:
                self.unit.error(p.pos, "kernel parameter cannot be declared as a pointer to a pointer")
            elif inner.space in ("private", "generic"):
                self.unit.error(p.pos, "pointers in kernel arguments must point to the '__global', '__constant' or '__local' address space")

    def _unsuitable(self, type: Type) -> str:
        """The name of a type that no kernel may take by value, "" for any other."""
        if isinstance(type, Scalar):
            if type.alias in self.size_names:
                return str(type.alias)
            return "bool" if type.name == "bool" else ""
        # Kernels with a clk_event_t, an ndrange_t or a reserve_id_t are not "enqueued from the host" (s), but other kernels may call them.
        return str(type) if opaque_kind(type) == "event" else ""

    def _unsuitable_field(self, record: Record) -> str:
        for field in record.fields or ():
            inner = innermost(field.type)
            found = self._unsuitable_field(inner) if isinstance(inner, Record) else self._unsuitable(inner)
            if found:
                return found
        return ""

    def _holds_pointer(self, record: Record) -> bool:
        types = [innermost(f.type) for f in record.fields or ()]
        return any(isinstance(t, Pointer) or (isinstance(t, Record) and self._holds_pointer(t)) for t in types)
