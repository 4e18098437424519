"""Where text came from: from an offset in preprocessed text back to file, line and column as the user knows them.

Owns source files (line starts, spliced lines, #line) and the map of segments. Reports nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from ..diagnostics import Position

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?')
# C99 5.2.1.1 and 5.1.1.2: what is replaced, or goes, before anything else is read.
_TRIGRAPHS = {"=": "#", "/": "\\", "'": "^", "(": "[", ")": "]", "!": "|", "<": "{", ">": "}", "-": "~"}
_REPLACED = re.compile(r"(?:\\|\?\?/)[ \t]*\n|\?\?([=/'()!<>-])")
_SURROGATE = re.compile("[\ud800-\udfff]")  # what a decoder left of bytes that are no text; no compiler would take it


def _without_comments(text: str) -> tuple[str, int]:
    """The text with comments blanked out, and where one begins that does not end, or -1.

    A directive goes on behind a comment of several lines; any other line ends where that does.
    """
    parts, seen, unterminated = list[str](), 0, -1
    first = ""  # character of the line so far that is no space and of no comment
    for match in _COMMENT.finditer(text):
        found, before = match[0], text[seen : match.start()]
        seen = match.end()
        line = before.rfind("\n") + 1
        first = ("" if line else first) or before[line:].lstrip()[:2]
        blank = " " * len(found)
        if found[0] != "/":  # a literal
            first, blank = first or found[0], found
        elif found[1] == "*":
            if len(found) < 4 or not found.endswith("*/"):
                unterminated = match.start()
            if "\n" in found and not (first.startswith("#") or first == "%:"):
                first, blank = "", "\n".join(" " * len(part) for part in found.split("\n"))
        parts += before, blank
    return "".join([*parts, text[seen:]]), unterminated


class SourceFile:
    """One file: the user's `original` text, and `text`, with lines that end in a backslash joined to their next, and without trigraphs.

    `code` is the text with comments blanked out, character by character, so that offsets are the same in both; `trigraphs` are the offsets
    of what stood as one.
    """

    def __init__(self, name: str, original: str):
        if "\r" in original:
            original = original.replace("\r\n", "\n").replace("\r", "\n")
        if not original.isascii():
            # An editor's byte order mark is no part of the text, as clang has it.
            original = _SURROGATE.sub("\ufffd", original.removeprefix("\ufeff"))
        self.name = name
        self.original = original
        self.text = original
        self._splices: list[int] = []  # offsets in `text` where characters were taken out …
        self._removed: list[int] = [0]  # … and how many until there, with 0 for the text before the first
        self.trigraphs: list[int] = []
        if "\\" in original or "??" in original:
            self._replace()
        self.code, self.unterminated_comment = _without_comments(self.text) if "/*" in self.text or "//" in self.text else (self.text, -1)
        self._line_starts: list[int] = []
        self._lines: list[str] = []
        self._presumed_from = [1]  # physical lines from which a #line directive holds …
        self._presumed = [(0, name)]  # … with what it adds to the line, and the file's name

    def _replace(self) -> None:
        parts, length, seen = list[str](), 0, 0
        for match in _REPLACED.finditer(self.original):
            kept, put = self.original[seen : match.start()], _TRIGRAPHS[match[1]] if match[1] else ""
            parts += kept, put
            length += len(kept) + len(put)
            seen = match.end()
            if put:
                self.trigraphs.append(length - 1)
            self._splices.append(length)
            self._removed.append(seen - length)
        if parts:
            self.text = "".join([*parts, self.original[seen:]])

    def presume(self, after: int, line: int, name: str | None) -> None:
        """#line at offset `after`: the next physical line is `line` (of file `name`, if given)."""
        physical = self.physical(after)[0] + 1
        if physical not in self._presumed_from:
            self._presumed_from.append(physical)
            self._presumed.append((line - physical, self._presumed[-1][1] if name is None else name))

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "original": self.original, "presumed_from": self._presumed_from, "presumed": self._presumed}

    @classmethod
    def from_json(cls, data: dict[str, Any], names: Mapping[str, str]) -> SourceFile:
        """`names` are files' new names by those that they had."""
        file = cls(names.get(data["name"], data["name"]), data["original"])
        file._presumed_from = data["presumed_from"]
        file._presumed = [(shift, names.get(name, name)) for shift, name in data["presumed"]]
        return file

    def physical(self, offset: int) -> tuple[int, int]:
        """Line and column, counted from 1, of an offset in `text`."""
        if self._splices:
            offset += self._removed[bisect_right(self._splices, offset)]
        if not self._line_starts:
            self._line_starts = [0, *accumulate(len(line) + 1 for line in self.original.split("\n"))]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def position(self, offset: int) -> Position:
        physical, column = self.physical(offset)
        return Position(*self.presumed(physical), column)

    def presumed(self, physical: int) -> tuple[str, int]:
        """The names of the file and of one of its lines, as #line has them."""
        shift, name = self._presumed[bisect_right(self._presumed_from, physical) - 1]
        return name, physical + shift

    def line(self, position: Position) -> str | None:
        """The text of the line that this file calls `position`, or None when it has no such line. Of several, such as a #line directive
        that gives the next line its own place, it is the last one."""
        if not self._lines:
            self._lines = self.original.split("\n")
        ends = [*self._presumed_from[1:], len(self._lines) + 1]
        for start, end, (shift, name) in reversed([*zip(self._presumed_from, ends, self._presumed, strict=True)]):
            if name == position.file and start <= position.line - shift < end:
                return self._lines[position.line - shift - 1]
        return None


class SourceMap:
    """Macro-free text, and the way back from an offset in it to the user's files.

    The text is a row of segments. An exact one is a copy of its source, character by character; one that is not came
    out of a macro and belongs as a whole to the place where the macro was named.
    """

    def __init__(self) -> None:
        self.text = ""
        self.files: list[SourceFile] = []
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._origins: list[tuple[SourceFile, int, bool]] = []
        self._found: dict[int, tuple[SourceFile, int]] = {}  # what `origin` has given

    @classmethod
    def plain(cls, text: str, filename: str = "<program>") -> SourceMap:
        """Text in which nothing is to be preprocessed."""
        pre = cls()
        file = SourceFile(filename, text)
        pre.files.append(file)
        pre.append(file.text, file, 0, exact=True)
        pre.finish()
        return pre

    def to_json(self) -> dict[str, Any]:
        """Text and map, for a compiled object that is linked later, perhaps by another process."""
        files = dict.fromkeys((*self.files, *(file for file, _, _ in self._origins)))
        numbers = {file: number for number, file in enumerate(files)}
        return {
            "text": self.text,
            "files": [file.to_json() for file in files],
            "segments": [(start, numbers[file], offset, exact)
                         for start, (file, offset, exact) in zip(self._starts, self._origins, strict=True)],
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], names: Mapping[str, str] = MappingProxyType({})) -> SourceMap:
        pre = cls()
        pre.text = data["text"]
        pre.files = [SourceFile.from_json(file, names) for file in data["files"]]
        for start, number, offset, exact in data["segments"]:
            pre._starts.append(start)
            pre._origins.append((pre.files[number], offset, exact))
        return pre

    def append(self, text: str, file: SourceFile, offset: int, exact: bool) -> None:
        if text:
            self._pieces.append(text)
            self._starts.append(self._length)
            self._origins.append((file, offset, exact))
            self._length += len(text)

    def finish(self) -> None:
        self.text = "".join(self._pieces)
        self._pieces = []

    def ends_line(self) -> bool:
        return not self._pieces or self._pieces[-1].endswith("\n")

    def origin(self, offset: int) -> tuple[SourceFile, int]:
        """The file that an offset came from and its line there, counted from 1 whatever #line says."""
        found = self._found.get(offset)
        if found is None:
            file, at = self._source(offset)
            found = self._found[offset] = file, file.physical(at)[0]
        return found

    def line(self, offset: int) -> tuple[str, int]:
        """File and line of an offset, as #line has them."""
        file, physical = self.origin(offset)
        return file.presumed(physical)

    def _source(self, offset: int) -> tuple[SourceFile, int]:
        """The file that an offset came from, and the offset in its text."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return self.files[0], 0
        file, origin, exact = self._origins[index]
        return file, origin + offset - self._starts[index] if exact else origin

    def locate(self, offset: int) -> Position:
        file, at = self._source(offset)
        return file.position(at)

    def source_line(self, position: Position) -> str:
        return next((line for file in self.files if (line := file.line(position)) is not None), "")
