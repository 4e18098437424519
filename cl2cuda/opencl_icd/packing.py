"""Queries' values as the bytes that C programs get, by the types of the query tables (runtime.spec.queries)."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import Any

from ..runtime.spec.queries import QueryTable
from . import application
from .handles import handle_of

_NAME_SIZE = 64  # CL_NAME_VERSION_MAX_NAME_SIZE


def _number(letter: str) -> Callable[[Any], bytes]:
    packed = struct.Struct(f"<{letter}").pack
    return lambda value: packed(int(value))


def _array(pack: Callable[[Any], bytes]) -> Callable[[Sequence[Any]], bytes]:
    return lambda values: b"".join(map(pack, values))


def _name_version(pair: tuple[str, int]) -> bytes:
    """cl_name_version."""
    name, version = pair
    return struct.pack(f"<I{_NAME_SIZE}s", version, name.encode()[: _NAME_SIZE - 1])


def _object(value: Any) -> bytes:
    return struct.pack("<Q", 0 if value is None else handle_of(value))


_strings: dict[str, ctypes.Array[ctypes.c_char]] = {}


def _string_address(text: str) -> bytes:
    """A `const char*` to memory that stays."""
    kept = _strings.setdefault(text, ctypes.create_string_buffer(text.encode()))
    return struct.pack("<Q", ctypes.addressof(kept))


_ONE: dict[str, Callable[[Any], bytes]] = {
    "uint": _number("I"), "int": _number("i"), "bool": _number("I"), "enum": _number("I"), "ulong": _number("Q"), "size_t": _number("Q"),
    "bitfield": _number("Q"), "partition_property": _number("Q"), "uchar": _number("B"),
    "float": struct.Struct("<f").pack,
    "pointer": lambda value: struct.pack("<Q", value or 0),
    "object": _object,
    "name_version": _name_version,
    "string": _string_address,
}
_WHOLE: dict[str, Callable[[Any], bytes]] = {
    "string": lambda value: value.encode() + b"\0",
    "bytes": bytes,
    "image_format": lambda pair: struct.pack("<II", *pair),
    "pci_bus_info": lambda numbers: struct.pack("<4I", *numbers),
}


def packed(type_: str, value: Any) -> bytes:
    """KeyError for a type that no query has."""
    if type_ in _WHOLE:
        return _WHOLE[type_](value)
    # Where a query does not apply, "the implementation must return param_value_size_ret equal to 0": an empty tuple.
    if value == ():
        return b""
    return _array(_ONE[type_[:-2]])(value) if type_.endswith("[]") else _ONE[type_](value)


def info(table: QueryTable, subject: Any, code: int, owner: Any = None) -> bytes:
    """The answer to a query. `owner` is the object whose properties are meant, where the subject is not."""
    value = table.get(subject, code)
    type_ = table.by_code[code].type
    return application.remembered(owner or subject) if type_ == "properties" else packed(type_, value)
