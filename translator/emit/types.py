"""Types and declarators as C++ spells them, in the user's own names."""

from __future__ import annotations

import dataclasses

from ...builtins.opaque import cxx_name
from ..ir.types import (
    BUILTIN_TYPES,
    Array,
    BlockType,
    Field,
    FunctionType,
    Opaque,
    Pointer,
    Record,
    Scalar,
    Type,
    Vector,
    Void,
    align_of,
    is_class,
    is_zero_length,
)  # fmt: skip

Use = tuple[str, ...]


class TypePrinter:
    """Prints types; what they need of the device library is noted in `uses`."""

    def __init__(self, uses: dict[Use, None], hidden: set[str]):
        self.uses = uses
        self.hidden = hidden  # names that somewhere in the program mean something else than a type
        self.typedefs: set[str] = set()  # those printed so far

    def use(self, *use: str) -> None:
        self.uses[use] = None

    def base(self, type: Type) -> str:
        """A type that is no pointer, array or function, or that has a name of its own."""
        if isinstance(type, Record):
            name = type.alias if type.alias in self.typedefs else type.name
            return f"{type.kind} {type.name}" if name in self.hidden else name
        if type.alias is not None:
            if type.alias in BUILTIN_TYPES:
                self.use("type", type.alias)
            elif isinstance(type, Vector):
                self.use("type", str(type))
            return type.alias
        if isinstance(type, Scalar):
            if type.name == "half":
                self.use("type", "half")
            return type.c_name
        if isinstance(type, Vector):
            self.use("type", str(type))
            return f"ocl::{type}" if str(type) in self.hidden else str(type)
        if isinstance(type, Opaque):
            if type.packet is not None:
                self.use("type", type.name)
                return f"pipe<{self.name(type.packet)}>"
            name = cxx_name(type.name, type.access)
            self.use("type", name)
            return name
        assert isinstance(type, Void), type
        return str(type)

    def declare(self, type: Type, name: str = "", const: bool = False, volatile: bool = False) -> str:
        """A declaration of `name`, or without one the type's name: `const float *p`, `int (*rows)[4]`."""
        if isinstance(type, BlockType):
            return f"auto {name}".rstrip()
        lead = "const " * const + "volatile " * volatile
        if type.alias in self.hidden and not isinstance(type, Record):
            type = dataclasses.replace(type, alias=None)
        if isinstance(type, Pointer) and type.alias is None:
            inner = "*" + lead + "__restrict__ " * type.restrict + name
            if isinstance(type.pointee, (Array, FunctionType)) and type.pointee.alias is None:
                inner = f"({inner})"
            return self.declare(type.pointee, inner, type.const, type.volatile)
        if isinstance(type, Array) and type.alias is None:
            length = "" if type.length is None else str(type.length or 1)
            return self.declare(type.element, f"{name}[{length}]", const or type.const, volatile or type.volatile)
        if isinstance(type, FunctionType) and type.alias is None:
            return self.declare(type.result, f"{name}({', '.join(self.declare(p) for p in type.parameters)})")
        return f"{lead}{self.base(type)} {name}".rstrip()

    def name(self, type: Type) -> str:
        return self.declare(type)

    def cast(self, type: Type) -> str:
        """The type in parentheses. Its own `restrict` says nothing about a value, and nvcc warns of it there."""
        if isinstance(type, Pointer) and type.restrict:
            type = dataclasses.replace(type, restrict=False)
        return f"({self.name(type)})"

    # -- records -----------------------------------------------------------------------------------------------------

    def record(self, record: Record) -> list[tuple[str, int | None]]:
        """The definition, each line with its place. Attributes stand after the word struct: CUDA ignores them behind the
        closing brace."""
        ends = [align_of(f.type) for f in record.fields or () if is_zero_length(f.type) and not record.packed]
        aligned = max([*ends, record.aligned or 0])
        attributes = ["packed"] * record.packed + ([f"aligned({aligned})"] if aligned else [])
        words = [record.kind] + ([f"__attribute__(({', '.join(attributes)}))"] if attributes else [])
        if record.name:
            words.append(record.name)
        lines: list[tuple[str, int | None]] = [(" ".join(words) + " {", None)]
        for field in record.fields or ():
            lines += [("    " + line, pos) for line, pos in self._field(field)]
        return [*lines, ("};", None)]

    def _field(self, field: Field) -> list[tuple[str, int | None]]:
        if field.name is None and isinstance(field.type, Record):
            return self.record(field.type)
        if is_zero_length(field.type):
            return []  # no C++; the printer of expressions computes its address
        attributes = ["packed"] * field.packed + ([f"aligned({field.align})"] if field.align else [])
        lead = f"__attribute__(({', '.join(attributes)})) " if attributes else ""
        # C++ copies no struct with volatile members of class type: such a member is volatile where it is named. It declares no
        # struct with constant members without a value.
        volatile = field.volatile and not is_class(field.type)
        return [(f"{lead}{self.declare(_unqualified(field.type, volatile), field.name or '', volatile=volatile)};", field.pos)]


def _unqualified(type: Type, volatile: bool) -> Type:
    """An array type whose elements are not constant, and volatile as told."""
    if not isinstance(type, Array) or (type.const, type.volatile) == (False, volatile):
        return type
    return Array(_unqualified(type.element, volatile), type.length, False, volatile)
