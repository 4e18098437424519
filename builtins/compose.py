"""Items that Python writes: types, swizzles, vector literals, constants, and the vector forms of elementwise functions.

Each is what a person would write by hand for that one type; there are too many of them to be kept in section files.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .constants import constants
from .items import Item, canonical
from .opaque import ENUMERATIONS
from .operators import written_out
from .table import Overload
from .typenames import components, is_vector, split

# Types that C++ does not know under OpenCL's name.
_ALIASES = {
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "intptr_t": "long",
    "uintptr_t": "unsigned long",
    **{name: "unsigned int" if integer == "uint" else integer for name, integer in ENUMERATIONS.items()},
}


def type_item(name: str) -> Item | None:
    """The definition of a type, None if C++ has it. `half` is the section files'."""
    if name in _ALIASES:
        return Item((name,), f"using {name} = {_ALIASES[name]};", place=(0,))
    element, width = split(name)
    if width == 1:
        return None
    return Item((name,), f"using {name} = vec<{element}, {width}>;", place=(2,))


def constant_item(name: str) -> Item:
    constant = constants[name]
    return Item((name,), f"inline constexpr {constant.type} {name} = {constant.value};", place=(3,))


# Names of components for `lo`, `hi`, `even`, `odd` (6.3.7); of a 3-vector the fourth component is undefined.
_HALVES: dict[str, Callable[[tuple[str, ...], int], tuple[str, ...]]] = {
    "lo": lambda names, n: names[: n // 2],
    "hi": lambda names, n: names[n // 2 :],
    "even": lambda names, n: names[::2],
    "odd": lambda names, n: names[1::2],
}


def swizzled(width: int, name: str) -> tuple[str, ...]:
    """The components that a swizzle's name selects: ("x", "y") for "xy", ("s0", "sf") for "s0f"."""
    if name in _HALVES:
        return _HALVES[name](components(width), 4 if width == 3 else width)
    selected = tuple(name) if width <= 4 else tuple(f"s{digit}" for digit in name[1:])
    if not set(selected) <= set(components(width)) or len(selected) not in (2, 3, 4, 8, 16):
        raise ValueError(f"a {width}-vector has no components {name}")
    return selected


def swizzle_width(width: int, name: str) -> int:
    return (4 if width == 3 else width) // 2 if name in _HALVES else len(swizzled(width, name))


def getter(width: int, name: str) -> str:
    """`v.xy()`, a member of vec<T, width>."""
    return f"__device__ constexpr vec<T, {swizzle_width(width, name)}> {name}() const {{ return {{{', '.join(swizzled(width, name))}}}; }}"


def setter(width: int, name: str) -> str:
    """`v.set_xy(r)`, a member of vec<T, width>."""
    of_result = components(swizzle_width(width, name))
    body = " ".join(f"{to} = r.{of};" for to, of in zip(swizzled(width, name), of_result, strict=False))
    type_ = f"vec<T, {len(of_result)}>"
    return f"__device__ {type_} set_{name}({type_} r) {{ {body} return r; }}"


def splat_item(type_: str) -> Item:
    element, width = split(type_)
    body = written_out(width, lambda c: "s")
    text = f"template<> __device__ constexpr {type_} splat<{type_}>({element} s) {{ return {{{body}}}; }}"
    return Item((f"splat<{type_}>",), text, place=(4,))


def join_item(type_: str, parts: str) -> Item:
    names, components_ = [], []
    for part, letter in zip(parts.split(","), "abcdefghijklmnop", strict=False):
        names.append(f"{part} {letter}")
        width = split(part)[1]
        components_.append(letter if width == 1 else written_out(width, lambda c, letter=letter: letter + c))  # type: ignore[misc]
    text = f"template<> __device__ constexpr {type_} join<{type_}>({', '.join(names)}) {{ return {{{', '.join(components_)}}}; }}"
    return Item((f"join<{type_}>({parts})",), text, place=(4,))


PARAMETERS = "abcdefgh"


def spelled(type_: str) -> str:
    """An overload's type in C++, with `float4` left as it is: there are no address spaces."""
    return re.sub(r"\b(global|local|private|constant|generic) ", "", type_).replace(" *", "*")


def elementwise(overload: Overload, place: tuple[int, ...]) -> Item:
    """The vector form of a function whose scalar form is applied to each component."""
    function = overload.row.element or overload.name
    width = split(overload.result)[1]
    declared, before, after = [], [], []
    arguments: list[tuple[str, bool]] = []  # (C++ name, has components)
    for letter, type_ in zip(PARAMETERS, map(spelled, overload.parameters), strict=False):
        declared.append(f"{type_} {letter}")
        if type_.endswith("*"):
            # What the pointer points to is written as a whole, to keep the alignment of its type.
            before.append(f"{type_[:-1]} {letter}_;")
            after.append(f"*{letter} = {letter}_;")
            arguments.append((f"&{letter}_", True))
        else:
            arguments.append((letter, is_vector(type_)))

    def component(c: str) -> str:
        call = f"{function}({', '.join(name + (c if whole else '') for name, whole in arguments)})"
        if overload.row.kind == "elementwise":
            return call
        return f"(short)-{call}" if overload.result.startswith("short") else f"-{call}"

    result = f"{{{written_out(width, component)}}}"
    body = f"return {result};" if not after else " ".join([*before, f"{overload.result} r = {result};", *after, "return r;"])
    text = f"__device__ {overload.result} {overload.name}({', '.join(declared)}) {{ {body} }}"
    return Item(
        (f"{overload.name}({', '.join(declared)})",),
        text,
        known=(overload.name, function),
        place=place,
        parameters=tuple(map(canonical, overload.parameters)),
        uses=(scalar_use(overload),),
    )


def scalar_use(overload: Overload) -> tuple[str, ...]:
    """The scalar function that the components go through, as a use."""
    result = "int" if overload.row.kind == "mask" else split(overload.result)[0]
    return ("fn", overload.row.element or overload.name, result, *map(scalar_parameter, overload.parameters))


def scalar_parameter(type_: str) -> str:
    return " ".join(split(word)[0] for word in type_.split())
