"""Overloads: the signature table (`rows`) expanded, one name at a time.

Owns the meaning of the table's notation and the families that are patterns, not rows: `as_type` (6.4.4.2), `convert_type`
(6.4.3), `shuffle` and `shuffle2` (6.15.13). Knows nothing of the code behind a function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

from .bounds import bound
from .concurrent_rows import CONCURRENT_ROWS
from .enqueue_rows import ENQUEUE_ROWS
from .extension_rows import EXTENSION_ROWS
from .intel_rows import INTEL_ROWS
from .rows import ROWS, Row
from .typenames import INTEGERS, SIZES, WIDTHS, WITH_HALF, signed, size, split, unsigned, vector

__all__ = ["Overload", "Row", "names", "overloads"]

_PARAMETER_NAME = re.compile(r"\w+$")
_GENERIC = "__opencl_c_generic_address_space"
_SUB_GROUP_SECTIONS = ("6.15.20", "cl_intel_subgroups", "cl_khr_subgroup")

ALL_ROWS: tuple[Row, ...] = (*ROWS, *CONCURRENT_ROWS, *EXTENSION_ROWS, *INTEL_ROWS, *ENQUEUE_ROWS)


@dataclass(frozen=True)
class Overload:
    """One concrete function. A type is spelled "float4", "size_t", "void", or "[volatile ][const ]space type *"."""

    name: str
    result: str
    parameters: tuple[str, ...]
    variadic: bool
    row: Row

    @property
    def code(self) -> str:
        """The C++ function's name."""
        return self.row.code or self.name

    @property
    def parameter_code(self) -> str:
        """The C++ function's name where the last argument is itself a parameter that points to global memory."""
        return self._for_global(self.row.parameter_code) or self.code

    @property
    def aligned_code(self) -> str:
        """The C++ function's name that has one argument more, the first: whether memory is aligned for elements at once. "" for none."""
        return "" if self.name.endswith("3") else self._for_global(self.row.aligned_code)  # three elements are never taken at once

    def _for_global(self, code: str) -> str:
        if not code or "global" not in self.parameters[-1].split():
            return ""
        return code.replace("{n}", self.name[len(self.name.rstrip("0123456789")) :])

    @property
    def of_sub_group(self) -> bool:
        """Whether it depends on how large the sub-group is: then C++ may tell it, by a last argument."""
        return self.row.section.startswith(_SUB_GROUP_SECTIONS)


@cache
def _index() -> dict[str, list[tuple[Row, int]]]:
    """Rows by name; a row whose name holds a width stands under each name, with that width (else 0)."""
    index: dict[str, list[tuple[Row, int]]] = {}
    for row in ALL_ROWS:
        for n in WIDTHS if "{n}" in row.name else (0,):
            index.setdefault(row.name.replace("{n}", str(n)), []).append((row, n))
    return index


def names() -> tuple[str, ...]:
    """Every function of the table, without the patterns as_type and convert_type."""
    return tuple(_index())


@cache
def overloads(name: str) -> tuple[Overload, ...]:
    """All functions of that name; () if there is none."""
    found: dict[tuple[str, ...], Overload] = {}
    for overload in _expand_all(name):
        found.setdefault(overload.parameters, overload)
    return tuple(found.values())


def _expand_all(name: str) -> Iterator[Overload]:
    for row, n in _index().get(name, ()):
        yield from _expand(name, row, n)
    if name.startswith("as_"):
        yield from _as_type(name)
    elif name.startswith("convert_"):
        yield from _convert(name)
    elif name in ("shuffle", "shuffle2"):
        yield from _shuffle(name)


def _expand(name: str, row: Row, name_width: int) -> Iterator[Overload]:
    result, parameters = row.signature.split(row.name + "(")
    # Each parameter's type is what stands before its name; "*" belongs to the type.
    types = [_PARAMETER_NAME.sub("", p).replace("*", " *").split() for p in parameters.rstrip(")").split(", ") if p not in ("", "...")]
    variadic = parameters.endswith("...)")
    words = {word for t in types for word in t} | {result.strip()}
    points = "*" in words
    for element in row.gentypes if any("gentype" in w for w in words) else ("",):
        for width in _widths(row, words, name_width):
            # A scalar gentype makes `gentype f(gentype, sgentype)` the same function as `gentype f(gentype, gentype)`.
            if width == 1 and any("sgentype" in t for t in types):
                continue
            concrete = [" ".join([_resolve(word, element, width) for word in t]) for t in types]
            final_result = _resolve(result.strip(), element, width)
            own = _for_half(row, final_result, *concrete)
            if "aQual" in words:
                for access in _accesses(name):
                    qualified = tuple(re.sub("^aQual", access, parameter) for parameter in concrete)
                    yield Overload(name, final_result, qualified, variadic, own)
                continue
            for final, generic in _place(concrete) if points else [(tuple(concrete), False)]:
                placed = own if not generic else own._replace(since=max(200, own.since), requires=_GENERIC)
                if "{space}" in own.requires and not generic:
                    placed = own._replace(requires=own.requires.format(space=_space_of(final[0])))
                yield Overload(name, final_result, final, variadic, placed)


def _widths(row: Row, words: set[str], name_width: int) -> tuple[int, ...]:
    if name_width:
        return (name_width,)
    if words & {f"{t}n" for t in SIZES}:
        return WIDTHS
    return row.widths if words & {"gentype", "ugentype", "igentype"} else (1,)


def _resolve(word: str, element: str, width: int) -> str:
    match word:
        case "gentype":
            return vector(element, width)
        case "sgentype":
            return element
        case "ugentype":
            return unsigned(vector(element, width))
        case "igentype":
            return signed(vector(element, width))
    if word.endswith("n") and word[:-1] in SIZES:
        return vector(word[:-1], width)
    return word


def _accesses(name: str) -> tuple[str, ...]:
    """6.15.15: the access qualifiers of the images that a function takes."""
    if name.startswith("read_") or "block_read" in name:
        return ("read_only", "read_write")
    return ("write_only", "read_write") if name.startswith("write_") or "block_write" in name else ("read_only", "write_only", "read_write")


def _place(types: list[str]) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The parameters with each address space that a pointer may have; True with those of the generic one."""
    choices = [_spaces(t) for t in types]
    # Two pointers may each point elsewhere, but generic ones come together: whatever is not named converts to generic.
    for placed in product(*choices):
        generic = [" generic " in f" {t}" for t, each in zip(placed, choices, strict=True) if len(each) > 1]
        if not any(generic) or all(generic):
            yield placed, any(generic)


def _spaces(type_: str) -> tuple[str, ...]:
    """The spellings of a pointer whose address space the table leaves open; any other type as it is."""
    if not type_.endswith("*") or {"global", "local", "constant"} & set(type_.split()):
        return (type_,)
    *qualifiers, pointee, _ = type_.split()
    if "const" in qualifiers:
        spaces: tuple[str, ...] = ("global", "local", "constant", "private", "generic")
    elif "volatile" in qualifiers:
        spaces = ("global", "local", "generic") if pointee.startswith("atomic_") else ("global", "local")
    else:
        spaces = ("global", "local", "private", "generic")
    return tuple(" ".join([*qualifiers, space, pointee, "*"]) for space in spaces)


def _space_of(pointer: str) -> str:
    return next(word for word in ("global", "local") if word in pointer.split())


def _for_half(row: Row, *types: str) -> Row:
    """The row of a function of these types. Half values need their extension; what else the row needs is offered with it."""
    return row._replace(requires="cl_khr_fp16") if "half" in {split(t)[0] for t in types} else row


# 6.4.4.2: as_type and as_typen reinterpret any type of the same size; a bool or void cannot be reinterpreted.
def _as_type(name: str) -> Iterator[Overload]:
    to = name.removeprefix("as_")
    if split(to)[0] not in WITH_HALF:
        return
    row = Row("as_type", "type as_type(gentype x)", "6.4.4.2", kind="as_type")
    for element in WITH_HALF:
        for width in (1, *WIDTHS):
            source = vector(element, width)
            if size(source) == size(to):
                yield Overload(name, to, (source,), False, _for_half(row, to, source))


_CONVERT = re.compile(r"convert_([a-z]+)(2|3|4|8|16)?(_sat)?(_rte|_rtz|_rtp|_rtn)?")


# 6.4.3: destType convert_destType<_sat><_roundingMode>(sourceType); "The _sat modifier may not be used for conversions to
# floating-point formats."
def _convert(name: str) -> Iterator[Overload]:
    found = _CONVERT.fullmatch(name)
    if not found or found[1] not in WITH_HALF or (found[3] and found[1] not in INTEGERS):
        return
    width = int(found[2] or 1)
    signature = "destType convert_destType<_sat><_roundingMode>(sourceType x)"
    row = Row("convert_type", signature, "6.4.3", bounds=(bound("0.5"),) * 3, kind="convert")
    for element in WITH_HALF:
        yield Overload(name, vector(found[1], width), (vector(element, width),), False, _for_half(row, found[1], element))


# 6.15.13: gentypen shuffle(gentypem x, ugentypen mask), gentypen shuffle2(gentypem x, gentypem y, ugentypen mask), where n and m
# are 2, 4, 8 or 16.
def _shuffle(name: str) -> Iterator[Overload]:
    row = Row(name, f"gentypen {name}(gentypem x, ugentypen mask)", "6.15.13", since=110, kind="shuffle")
    widths = [width for width in WIDTHS if width != 3]
    for element in WITH_HALF:
        for n in widths:
            for m in widths:
                sources = (vector(element, m),) * (2 if name == "shuffle2" else 1)
                yield Overload(name, vector(element, n), (*sources, unsigned(vector(element, n))), False, _for_half(row, element))
