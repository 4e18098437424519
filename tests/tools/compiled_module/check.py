"""Compares what cl2cuda puts in the compiled module's place with `names.txt`, entry by entry."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

NAMES = Path(__file__).with_name("names.txt")


def entries() -> Iterator[tuple[str, str, str]]:
    """(class or "", entry, its releases) of every line."""
    owner = ""
    for line in NAMES.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        entry, _, releases = line.partition("  @ ")
        if line.startswith("    ."):
            yield owner, entry.strip()[1:], releases
        else:
            owner = "" if "(" in entry else entry.partition(" <")[0]
            yield "", entry, releases


def differences(contents: dict[str, Any]) -> Iterator[str]:
    """What `contents`, the names of a module, lack of the table or have otherwise."""
    for owner, entry, releases in entries():
        place = f"{owner}.{entry}" if owner else entry
        try:
            trouble = _member(contents[owner], entry) if owner else _top(contents, entry)
        except KeyError:
            trouble = "is missing"
        if trouble:
            yield f"{place} {trouble}" + (f" ({releases})" if releases else "")


def _top(contents: dict[str, Any], entry: str) -> str:
    if "(" in entry:
        return _callable(contents[entry.partition("(")[0]], entry)
    name, _, base = entry.partition(" < ")
    if not isinstance(contents[name], type):
        return "is no class"
    return "" if not base or issubclass(contents[name], contents[base]) else "has another base"


def _member(cls: type, entry: str) -> str:
    name = re.match(r"\w+", entry)[0]  # type: ignore[index]
    if not hasattr(cls, name):
        return "" if entry.endswith("able") and name in _annotations(cls) else "is missing"
    found = inspect.getattr_static(cls, name)
    if " = " in entry:
        value = getattr(cls, name)
        return "" if getattr(value, "value", value) == int(entry.partition(" = ")[2]) else f"is {value}"
    if entry.endswith(": writable"):
        return "cannot be set" if isinstance(found, property) and found.fset is None else ""
    if entry.endswith(": readable"):
        return "is a method" if inspect.isfunction(found) else ""
    # A function written in C takes no object from the class it is found in, as a static method takes none.
    return _callable(getattr(cls, name), entry, method=not isinstance(found, (staticmethod, classmethod, BuiltinFunctionType)))


def _annotations(cls: type) -> set[str]:
    return {name for base in cls.__mro__ for name in vars(base).get("__annotations__", ())}


def _callable(function: Any, entry: str, method: bool = False) -> str:
    """Whether the function takes what the signature takes, by position and by name, with the same defaults."""
    name, _, text = entry.partition("(")
    parameters = [tuple(part.strip().partition("=")[::2]) for part in re.split(r", (?![^(\[]*[)\]])", text[:-1]) if part]
    if any(name.startswith("*") and name != "*" for name, _ in parameters) or text == "...)":
        return ""
    try:
        signature = inspect.signature(function)
    except ValueError:
        return ""  # One of Python's own slots.
    first = [None] if method else []
    by_position = name.startswith("__") and name not in ("__init__", "__call__")
    positional = first + [None] * sum(by_position or name == "_" for name, _ in parameters)
    named = {name: None for name, _ in parameters if name not in ("_", "*") and not by_position}
    required = {name: None for name, default in parameters if name in named and not default}
    for arguments, keywords in [(positional, named), (positional, required), (positional + [None] * len(required), {})]:
        try:
            signature.bind(*arguments, **keywords)
        except TypeError as failure:
            return f"{signature}: {failure}"
    for name, default in parameters:
        ours = signature.parameters.get(name)
        if default and ours is not None and _plain(ours.default) != _plain(ast.literal_eval(default)):
            return f"has another default, {name}={ours.default!r}"
    return ""


def _plain(default: Any) -> Any:
    """A default without the differences that no caller sees."""
    if isinstance(default, bytes):
        return default.decode()
    return tuple(default) if isinstance(default, (list, tuple)) else default
