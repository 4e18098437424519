"""Section files taken apart into items: pieces of C++ with names, the unit in which the library is used.

Owns the format, which `prelude` describes. Reads the text only as far as the format says; it is no C++ parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from .typenames import SIZES, is_vector, split

_FOLDER = Path(__file__).parent / "library"


@dataclass(frozen=True, eq=False)
class Item:
    """A piece of the library. Composed pieces are items too.

    scope        "ocl" or "" for what stands outside the library's namespace
    parameters   of a function, canonical (`canonical_parameter`); None if it is no function
    placeholders the template's type parameters
    place        section and line: the order among items that do not depend on each other
    uses         dependencies that scanning the text does not show, or not exactly
    known        the names in the text that `uses` stand for
    """

    names: tuple[str, ...]
    text: str
    scope: str = "ocl"
    parameters: tuple[str, ...] | None = None
    placeholders: tuple[str, ...] = ()
    comment: str = ""
    place: tuple[int, ...] = (0,)
    always: bool = False
    uses: tuple[tuple[str, ...], ...] = ()
    known: tuple[str, ...] = ()

    @cached_property
    def references(self) -> frozenset[str]:
        """What the text mentions, but for its own names and those `known` to be stated by `uses`."""
        if self.parameters is None or self.known:
            return references(self.text) - {*self.names, *self.known}
        # Where a function's name stands again after its head, another overload is meant.
        return references(_without(self.names[0], self.text))


def _without(name: str, text: str) -> str:
    """The text without the first place where the name stands by itself. (An expression for each name would take longer to compile.)"""
    place = text.find(name)
    while place >= 0:
        before, after = text[max(place - 2, 0) : place], text[place + len(name) : place + len(name) + 1]
        if before != "::" and not _is_word(before[-1:]) and not _is_word(after):
            return f"{text[:place]} {text[place + len(name) :]}"
        place = text.find(name, place + 1)
    return text


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_TOKEN = re.compile(r'//.*|"(?:\\.|[^"\\])*"|(?<![\w.>])\d[\w.]*|(->|\.)?\s*(::)?\b([A-Za-z_]\w*)\b(?:(?=<\w+, ?(\d+)>))?')


@lru_cache(maxsize=4096)  # both of CUDA's libraries have most items
def references(text: str) -> frozenset[str]:
    """The identifiers that the code mentions: "name", "::name" for a global one, and "vec<4>" for that specialisation."""
    found = set()
    for match in _TOKEN.finditer(text):
        member, outer, name, width = match.groups()
        if name and not member:
            found.add(f"::{name}" if outer else name)
            if width:
                found.add(f"{name}<{width}>")
    return frozenset(found)


_SPACES = re.compile(r"\b(global|local|private|constant|generic|read_only|write_only)\b")


@cache
def canonical(type_: str) -> str:
    """One spelling for an overload's type and the C++ type that stands for it: address spaces drop, vectors are vec<T,N>; images
    that are read and written have types of their own."""
    type_ = type_.replace("read_write image", "read_write_image")
    words = _SPACES.sub("", type_).replace("*", " * ").split()
    words = ["vec<{},{}>".format(*split(word)) if is_vector(word) else word for word in words]
    return " ".join(words).replace(" *", "*").replace(", ", ",")


def composed(name: str, text: str, parameters: Iterable[str], *known: str) -> Item:
    """A function whose text is made for one overload; it comes after all that the library's files hold."""
    return Item((name,), text, parameters=tuple(map(canonical, parameters)), place=(1000,), known=known)


_DECLARATION = re.compile(r"(.*[>*\s])\s*([A-Za-z_]\w*)")


@cache
def _canonical_parameter(declaration: str) -> str:
    type_ = canonical(declaration)
    found = _DECLARATION.fullmatch(type_)
    return found[1].strip() if found and found[2] not in SIZES else type_


def _split_at_commas(text: str) -> list[str]:
    if "<" not in text and "(" not in text:
        return [part.strip() for part in text.split(",") if part.strip()]
    parts, depth = [""], 0
    for c in text:
        depth += (c in "<(") - (c in ">)")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


_TEMPLATE = re.compile(r"template<([^<>]*)>\s*")
_ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)\s*")
_DEFINITIONS = (
    re.compile(r"#define\s+(?P<name>\w+)"),
    re.compile(r"using\s+(?P<name>\w+)\s*="),
    re.compile(r"typedef\b.*?(?P<name>\w+)(?:\[.*\])?;"),
    re.compile(r"(?:struct|union|enum)\s+(?:alignas\([^()]*(?:\([^()]*\))?[^()]*\)\s*)?(?P<name>\w+(?:<\w+, (?P<width>\d+)>)?)"),
    re.compile(r"(?:[^(=;]*?[\s*&])(?P<name>operator[^\s(]+|\w+)\((?P<parameters>.*)"),
    re.compile(r".*?(?P<name>\w+)(?:\[.*?\])*\s*(?:=|;|$)"),
)


def _name(line: str) -> tuple[str, tuple[str, ...] | None, tuple[str, ...]]:
    """Name, parameters and template parameters of the definition that begins with this line."""
    placeholders: tuple[str, ...] = ()
    if template := _TEMPLATE.match(line):
        placeholders = tuple(p.split()[-1] for p in template[1].split(",") if "class" in p)
        line = line[template.end() :]
    line = _ATTRIBUTE.sub("", line)
    for pattern in _DEFINITIONS:
        if not (found := pattern.match(line)):
            continue
        groups = found.groupdict()
        if groups.get("width"):
            return f"vec<{groups['width']}>", None, placeholders
        if (rest := groups.get("parameters")) is not None:
            parameters = map(_canonical_parameter, _split_at_commas(rest[: _closing(rest)]))
            # What tells sub-group functions their size is no parameter of OpenCL's.
            return found["name"], tuple(p for p in parameters if not p.startswith("sub_group_tile<")), placeholders
        return found["name"].partition("<")[0], None, placeholders
    raise ValueError(f"a section file's line defines nothing: {line}")


def _closing(text: str) -> int:
    first = text.find(")")
    if first >= 0 and text.find("(", 0, first) < 0:
        return first
    depth = 1
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return i
    return len(text)


@cache
def section(file_name: str, number: int) -> tuple[Item, ...]:
    """The items of one section file; () if there is no such file."""
    path = _FOLDER / file_name
    if not path.exists():
        return ()
    found: list[Item] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    scope, comment, annotation, i = "", "", "", 0
    while i < len(lines):
        line, start = lines[i], i
        i += 1
        if line == "namespace ocl {":
            scope = "ocl"
        elif line == "}  // namespace ocl":
            scope = ""
        elif line.startswith("//:"):
            annotation = line[3:].strip()
        elif line.startswith("//"):
            comment += line + "\n"
        elif not line.strip():
            comment = ""
        elif not line.startswith("#pragma once"):
            while i < len(lines) and (lines[i].strip() if annotation else _continues(lines[i])):
                i += 1
            if inner := [each for each in lines[start:i] if each.startswith("//:")]:
                raise ValueError(f"{file_name}: no empty line before {inner[0]!r}")
            found.append(_item(lines[start:i], scope, comment, annotation, (number, start)))
            comment = annotation = ""
    return tuple(found)


def _continues(line: str) -> bool:
    return line.startswith((" ", "}")) and line != "}  // namespace ocl"


def _item(lines: list[str], scope: str, comment: str, annotation: str, place: tuple[int, int]) -> Item:
    text = "\n".join(lines)
    words = tuple(annotation.split())
    always = words[:1] == ("always",)
    names = words[always:]
    parameters: tuple[str, ...] | None = None
    placeholders: tuple[str, ...] = ()
    if not names:
        name, parameters, placeholders = _name(lines[0])
        names = (name,)
    return Item(names, text, scope, parameters, placeholders, comment, place, always)


def accepts(item: Item, parameters: tuple[str, ...]) -> bool:
    """Whether the function takes exactly these (canonical) parameters. A template parameter stands for one scalar type."""
    if item.parameters is None or len(item.parameters) != len(parameters):
        return False
    if not item.placeholders:
        return item.parameters == parameters
    bound: dict[str, str] = {}
    return all(_unify(wanted, given, item.placeholders, bound) for wanted, given in zip(item.parameters, parameters, strict=True))


def _unify(wanted: str, given: str, placeholders: tuple[str, ...], bound: dict[str, str]) -> bool:
    for placeholder in placeholders:
        pattern = re.escape(wanted)
        pattern, times = re.subn(rf"\b{placeholder}\b", rf"({'|'.join(SIZES)})", pattern)
        if times:
            found = re.fullmatch(pattern, given)
            return found is not None and bound.setdefault(placeholder, found[1]) == found[1]
    return wanted == given
