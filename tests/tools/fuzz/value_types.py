"""The types of the random programs, and C's rules for what an operator's result has (OpenCL C 6.3, 6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
SIZES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "double": 8}
WIDTHS = (2, 3, 4, 8, 16)


@dataclass(frozen=True)
class T:
    """A scalar (width 1) or a vector."""

    element: str
    width: int = 1

    def __str__(self) -> str:
        return self.element if self.width == 1 else f"{self.element}{self.width}"

    @property
    def is_float(self) -> bool:
        return self.element in FLOATS

    @property
    def signed(self) -> bool:
        return self.element[0] != "u"

    @property
    def size(self) -> int:
        """The size of one element."""
        return SIZES[self.element]

    @property
    def bytes(self) -> int:
        return self.size * (4 if self.width == 3 else self.width)

    def of(self, element: str) -> T:
        return T(element, self.width)

    def as_unsigned(self) -> T:
        return self.of({1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[self.size])

    def as_signed(self) -> T:
        return self.of({1: "char", 2: "short", 4: "int", 8: "long"}[self.size])


@dataclass(frozen=True)
class Struct:
    """fields: (name, type, length of the array or 0); volatile are the names of those that are"""

    name: str
    fields: tuple[tuple[str, T | Struct, int], ...]
    volatile: frozenset[str] = frozenset()
    packed: bool = False

    def __str__(self) -> str:
        return self.name

    def definition(self) -> str:
        fields = " ".join(f"{'volatile ' * (name in self.volatile)}{type} {name}{f'[{length}]' if length else ''};"
                          for name, type, length in self.fields)  # fmt: skip
        return f"typedef struct {'__attribute__((packed)) ' * self.packed}{{ {fields} }} {self.name};"


INT, UINT, LONG, ULONG = T("int"), T("uint"), T("long"), T("ulong")


@cache
def promoted(type: T) -> T:
    """Integer promotion (C99 6.3.1.1)."""
    return type if type.size >= 4 else INT


@cache
def usual(a: T, b: T) -> T:
    """The usual arithmetic conversions of two integers (C99 6.3.1.8)."""
    a, b = promoted(a), promoted(b)
    if a.size != b.size:
        return a if a.size > b.size else b
    return a if not a.signed else b


def components(width: int) -> list[str]:
    return list("xyzw"[:width]) if width <= 4 else [f"s{i:x}" for i in range(width)]
