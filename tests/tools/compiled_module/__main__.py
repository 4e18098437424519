"""Makes `names.txt` from PyOpenCL's true compiled modules.

    python tests/tools/compiled_module describe RELEASE FOLDER/pyopencl/_cl….so >RELEASE.json     # once for each release
    python tests/tools/compiled_module table *.json >tests/tools/compiled_module/names.txt
    python tests/tools/compiled_module check                                                      # what cl2cuda has otherwise

A module is loaded by itself, without PyOpenCL's Python layer, which adds to its classes. One of 2024.1 or before needs NumPy 1.
"""

from __future__ import annotations

import enum
import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

# What every Python class has, and what the two binding libraries and `enum` add for themselves.
BOILERPLATE = {"__module__", "__dict__", "__doc__", "__new__", "__weakref__", "__entries", "__members__", "__getstate__", "__setstate__",
               "__nb_enum__", "__str__", "__repr__", "name", "value"}


def describe(release: str, path: str) -> dict[str, Any]:
    """{"release": …, "names": {entry: [base classes]}}, the entries as `names.txt` has them: `Class`, `Class.name = value`, `name(…)`."""
    spec = importlib.util.spec_from_file_location("pyopencl._cl", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    entries: list[str] = []
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        if isinstance(value, type):
            bases = [base.__name__ for base in value.__bases__ if base.__name__ not in ("object", "pybind11_object", "Enum", "Exception")]
            entries.append(f"{name} < {bases[0]}" if bases else name)
            entries += [f"{name}.{entry}" for entry in members(value)]
        else:
            entries += signatures(name, value.__doc__)
    return {"release": release, "names": entries}


def members(cls: type) -> Iterator[str]:
    for name, value in vars(cls).items():
        if name in BOILERPLATE or (issubclass(cls, enum.Enum) and name.startswith("_")) or name.startswith("_pybind11"):
            continue
        static, value = value, getattr(cls, name)
        if isinstance(static, property):
            yield f"{name}: {'readable' if static.fset is None else 'writable'}"
        elif isinstance(value, int):
            yield f"{name} = {value}"
        elif isinstance(getattr(value, "value", None), int):
            yield f"{name} = {value.value}"
        elif name == "__hash__" and value is None:
            continue
        else:
            yield from signatures(name, value.__doc__, method=not isinstance(static, staticmethod))


def signatures(name: str, text: str | None, method: bool = False) -> Iterator[str]:
    """`name(parameters)` of each overload that a docstring lists, without `self` and without types."""
    found = re.findall(rf"^(?:\d+\. )?{re.escape(name)}\((.*)\) -> ", text or "", re.MULTILINE)
    for parameters in dict.fromkeys(", ".join(_parameters(one)) for one in found if one != "*args, **kwargs"):
        yield f"{name}({parameters})"
    if not found and inspect.isroutine and not (text or "").startswith(("Initialize self", "Return")):
        yield f"{name}(...)"


def _parameters(text: str) -> Iterator[str]:
    given = [one.strip() for one in re.split(r",(?![^\[]*\])", text) if one.strip()]
    positional = given[: given.index("/")] if "/" in given else []
    for one in given:
        name, _, default = (part.strip() for part in re.sub(r":[^=]*", " ", one, count=1).partition("="))
        if name == "self" or one == "/":
            continue
        unnamed = one in positional or re.fullmatch(r"arg\d+", name)
        yield ("_" if unnamed else name) + (f"={default}" if default else "")


def table(described: Iterable[dict[str, Any]]) -> Iterator[str]:
    """One line for each entry, in the newest release's order; the releases that have it are added where not all do."""
    every = sorted(described, key=lambda one: [int(part) for part in one["release"].split(".")])
    releases = [one["release"] for one in every]
    order: dict[str, list[str]] = {}
    for one in reversed(every):
        for entry in one["names"]:
            order.setdefault(entry, []).insert(0, one["release"])
    yield "# PyOpenCL's compiled module, pyopencl._cl, in the releases: " + " ".join(releases)
    yield "# Class < base; .NAME = value; .method(parameters), _ for one without a name; .property: readable or writable."
    yield "# What only some releases have names the first and the last of them. Made by `python tests/tools/compiled_module`."
    top = [entry for entry in order if "." not in entry.partition("(")[0].partition("=")[0]]
    for entry in top:
        yield _line(entry, order[entry], releases)
        name = entry.partition(" <")[0]
        for member in order:
            if member.startswith(name + ".") and "(" not in name:
                yield "    " + _line(member[len(name) :], order[member], releases)


def _line(entry: str, found: list[str], releases: list[str]) -> str:
    return entry if found == releases else f"{entry}  @ {found[0]} {found[-1]}"


def main(words: list[str]) -> None:
    if words[0] == "describe":
        json.dump(describe(*words[1:]), sys.stdout)
        return
    if words == ["check"]:
        from check import differences

        from cl2cuda.pyopencl_cl import module_contents

        print("\n".join(differences(module_contents())))
        return
    texts = []
    for path in words[1:]:
        with open(path, encoding="utf-8") as file:
            texts.append(json.load(file))
    print("\n".join(table(texts)))


if __name__ == "__main__":
    main(sys.argv[1:])
