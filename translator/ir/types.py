"""OpenCL C's types (specification 6.3) as the analyser and the emitter see them.

Types compare by structure; structs, unions and enums by identity. `alias` is the name under which the program wrote a type
(a typedef, `uint`): it is kept for printing and plays no part in comparison. Qualifiers and the address space belong to what
a pointer points to or to a variable, so they are fields of Pointer and Array here and of the variable in `ir`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Literal, TypeVar, Union

from ...builtins.opaque import ENUMERATIONS, OPAQUE

Space = Literal["private", "global", "local", "constant", "generic"]


class _Kind:
    """`is_plain`: whether an expression of the type is used as it stands. An array decays; a half may not be loaded; what C++ has a class
    for takes care where it is volatile or lies packed."""

    is_plain = False


@dataclass(frozen=True)
class Void(_Kind):
    """No value; what `void *` points to."""

    alias: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True)
class Scalar(_Kind):
    """name is OpenCL's ("uint"), c_name what C++ calls the same type ("unsigned int")."""

    name: str
    kind: Literal["bool", "int", "float"]
    size: int
    signed: bool
    c_name: str
    alias: str | None = field(default=None, compare=False)
    is_plain: bool = field(default=True, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_plain", self.name != "half")

    def __eq__(self, other: object) -> bool:
        """As of their fields, which the name decides: scalars are compared everywhere."""
        return self is other or (isinstance(other, Scalar) and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    @property
    def bits(self) -> int:
        return self.size * 8


@dataclass(frozen=True)
class Vector(_Kind):
    """`width` components of a scalar type (6.3.2)."""

    element: Scalar
    width: int
    alias: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.element.name}{self.width}"


@dataclass(frozen=True)
class Pointer(_Kind):
    """A pointer; space, const and volatile are those of what it points to, and so is aligned: what a typedef says where it is less
    than the alignment of the type."""

    is_plain = True

    pointee: Type
    space: Space
    const: bool = False
    volatile: bool = False
    restrict: bool = field(default=False, compare=False)
    alias: str | None = field(default=None, compare=False)
    aligned: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        words = [f"__{self.space}"] + ["const"] * self.const + ["volatile"] * self.volatile
        return f"{' '.join(words)} {self.pointee} *"


@dataclass(frozen=True)
class Array(_Kind):
    """length is None for `[]` and 0 for GNU's zero-length arrays."""

    element: Type
    length: int | None
    const: bool = False
    volatile: bool = False
    alias: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.element} [{'' if self.length is None else self.length}]"


@dataclass(frozen=True)
class Opaque(_Kind):
    """event_t, sampler_t, image2d_t, queue_t … (builtins/opaque.py), and "pipe": named, without operators.

    access is an image's or pipe's access qualifier, packet what a pipe carries.
    """

    name: str
    access: str | None = None
    packet: Type | None = None
    alias: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        words = [f"__{self.access}"] * bool(self.access) + [self.name] + [str(self.packet)] * (self.packet is not None)
        return " ".join(words)

    @property
    def kind(self) -> str:
        return "pipe" if self.packet is not None else OPAQUE[self.name].kind


@dataclass(frozen=True)
class FunctionType(_Kind):
    """A function's, which only declarations have."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False
    alias: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.result} ({', '.join(map(str, self.parameters))})"


@dataclass(frozen=True)
class BlockType(_Kind):
    """A reference to a block (6.14)."""

    result: Type
    parameters: tuple[Type, ...]
    alias: str | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.result} (^)({', '.join(map(str, self.parameters)) or 'void'})"


@dataclass(eq=False)
class Field:
    """A member of a struct or union; pos is where it is declared."""

    name: str | None  # None: an anonymous struct or union, whose fields count as the outer one's
    type: Type
    const: bool = False
    volatile: bool = False
    align: int | None = None
    pos: int | None = None
    packed: bool = False


@dataclass(eq=False)
class Record(_Kind):
    """A struct or union. `fields` is None while it is only declared."""

    kind: Literal["struct", "union"]
    name: str
    fields: list[Field] | None = None
    packed: bool = False
    aligned: int | None = None
    anonymous: bool = False
    alias: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def find(self, name: str) -> Field | None:
        """The field of that name, looking through anonymous members too."""
        for each in self.fields or ():
            if each.name == name:
                return each
            if each.name is None and isinstance(each.type, Record):
                inner = each.type.find(name)
                if inner:
                    return inner
        return None


Type = Union[Void, Scalar, Vector, Pointer, Array, Opaque, FunctionType, BlockType, Record]
AnyType = TypeVar("AnyType", bound=Type)

VOID = Void()
BOOL = Scalar("bool", "bool", 1, False, "bool")
CHAR = Scalar("char", "int", 1, True, "char")
UCHAR = Scalar("uchar", "int", 1, False, "unsigned char")
SHORT = Scalar("short", "int", 2, True, "short")
USHORT = Scalar("ushort", "int", 2, False, "unsigned short")
INT = Scalar("int", "int", 4, True, "int")
UINT = Scalar("uint", "int", 4, False, "unsigned int")
LONG = Scalar("long", "int", 8, True, "long")
ULONG = Scalar("ulong", "int", 8, False, "unsigned long")
HALF = Scalar("half", "float", 2, True, "half")
FLOAT = Scalar("float", "float", 4, True, "float")
DOUBLE = Scalar("double", "float", 8, True, "double")

SCALARS = {t.name: t for t in (BOOL, CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE)}
WIDTHS = (2, 3, 4, 8, 16)


def aliased(type: AnyType, alias: str | None) -> AnyType:
    """The same type under the name by which the program calls it."""
    if isinstance(type, Record) or type.alias == alias:
        if isinstance(type, Record) and type.alias is None:
            type.alias = alias  # the first typedef's name is the one that programs use
        return type
    return dataclasses.replace(type, alias=alias)


def _builtin_types() -> dict[str, Type]:
    """Table 2, 3 and 4 of the specification: every type that a program can name without declaring it."""
    found: dict[str, Type] = {"void": VOID}
    for name, scalar in SCALARS.items():
        found[name] = aliased(scalar, name if scalar.c_name != name else None)
        if scalar is not BOOL:
            found.update({f"{name}{n}": Vector(scalar, n) for n in WIDTHS})
    found["size_t"] = found["uintptr_t"] = ULONG
    found["ptrdiff_t"] = found["intptr_t"] = LONG
    for name in ("size_t", "uintptr_t", "ptrdiff_t", "intptr_t"):
        found[name] = aliased(found[name], name)
    found.update({name: aliased(SCALARS[integer], integer) for name, integer in ENUMERATIONS.items()})
    found.update({name: Opaque(name) for name in OPAQUE})
    return found


BUILTIN_TYPES = _builtin_types()


def element_of(type: Type) -> Type:
    """A vector's element type; any other type itself."""
    return type.element if isinstance(type, Vector) else type


def without_spaces(type: Type) -> Type:
    """The type as C++ tells it from others."""
    return dataclasses.replace(type, pointee=without_spaces(type.pointee), space="private") if isinstance(type, Pointer) else type


def is_integer(type: Type) -> bool:
    """An integer scalar, bool included, or a vector of integers."""
    element = element_of(type)
    return isinstance(element, Scalar) and element.kind != "float"


def is_float(type: Type) -> bool:
    element = element_of(type)
    return isinstance(element, Scalar) and element.kind == "float"


def mask_type(type: Vector) -> Vector:
    """What a comparison of such vectors yields (6.5.d): signed integers of the same size."""
    signed = {1: CHAR, 2: SHORT, 4: INT, 8: LONG}[type.element.size]
    return Vector(signed, type.width)


def size_of(type: Type) -> int:
    """Bytes, as sizeof gives them (6.3.1, 6.3.5: a 3-vector takes the room of a 4-vector)."""
    if isinstance(type, Scalar):
        return type.size
    if isinstance(type, Vector):
        return type.element.size * (4 if type.width == 3 else type.width)
    if isinstance(type, Array):
        return size_of(type.element) * (type.length or 0)
    if isinstance(type, Record):
        return record_layout(type)[0]
    if isinstance(type, Opaque):
        return 8 if type.packet is not None else OPAQUE[type.name].size
    return 1 if isinstance(type, (Void, FunctionType)) else 8


def align_of(type: Type) -> int:
    if isinstance(type, Array):
        return align_of(type.element)
    if isinstance(type, Record):
        return record_layout(type)[1]
    if isinstance(type, Opaque):
        return min(size_of(type), 8)
    return size_of(type)


def record_layout(record: Record) -> tuple[int, int]:
    """(size, alignment) of a struct or union as C++ lays it out."""
    position, align = 0, 1
    for each in record.fields or ():
        size, own = _layout(each.type)
        natural = max(1 if record.packed or each.packed else own, each.align or 1)
        align = max(align, natural)
        position = max(position, size) if record.kind == "union" else -(-position // natural) * natural + size
    align = max(align, record.aligned or 1)
    return -(-position // align) * align, align


def _layout(type: Type) -> tuple[int, int]:
    """(size, alignment), of records in records by one look at each."""
    if isinstance(type, Array):
        size, align = _layout(type.element)
        return size * (type.length or 0), align
    return record_layout(type) if isinstance(type, Record) else (size_of(type), align_of(type))


def _field_align(record: Record, field: Field) -> int:
    return max(1 if record.packed or field.packed else align_of(field.type), field.align or 1)


def offset_of(record: Record, name: str) -> int | None:
    """Bytes from the start of the record to the field, which may be one of an anonymous member's; None if there is none."""
    position = 0
    for each in record.fields or ():
        natural = _field_align(record, each)
        start = 0 if record.kind == "union" else -(-position // natural) * natural
        if each.name == name:
            return start
        if each.name is None and isinstance(each.type, Record):
            inner = offset_of(each.type, name)
            if inner is not None:
                return start + inner
        position = start + size_of(each.type)
    return None


def innermost(type: Type) -> Type:
    """What an array is made of; any other type itself."""
    while isinstance(type, Array):
        type = type.element
    return type


def is_class(type: Type) -> bool:
    """Whether C++ has a class for it, or for the array's elements: it copies no volatile object of one."""
    type = innermost(type)
    return not type.is_plain and (isinstance(type, (Vector, Record, Opaque)) or type == HALF)


def is_zero_length(type: Type) -> bool:
    """GNU's zero-length array, or C99's flexible one, as a struct's last member."""
    return isinstance(type, Array) and not type.length
