"""The user's comments, carried over to the lines of the output that they stand at.

A comment on lines of its own goes above the statement or declaration that follows it, one behind code to the end of the
output line of that code, and the one that a file begins with, often its licence, above all that is printed of the file. Comments inside
expressions are lost, and so are those that only a directive or a closing brace follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..ir.source_map import SourceFile, SourceMap

_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)


@dataclass
class FileComments:
    """The comments by line, counted from 1: those that fill whole lines (under their last line), and those behind code; and the lines."""

    whole: dict[int, tuple[int, list[str]]] = field(default_factory=dict)  # last line: (first line, texts)
    behind: dict[int, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    opened: bool = False  # whether the comments that the file begins with have been handed out
    _first_above: dict[int, int] = field(default_factory=dict)

    def first_above(self, line: int) -> int:
        """The first line of the comments above that one, between which blank lines may be; without comments that line itself."""
        first = self._first_above.get(line)
        if first is None:  # a macro makes many statements of one line
            first = self._first_above[line] = self._looked_above(line)
        return first

    def _looked_above(self, line: int) -> int:
        first = above = line
        while above > 1:
            if above - 1 in self.whole:
                first = above = self.whole[above - 1][0]
            elif not self.lines[above - 2].strip():
                above -= 1
            else:
                break
        return first

    def take_above(self, line: int) -> list[str]:
        """The comments above that line, and the blank lines between, which are handed out once."""
        texts: list[str] = []
        first = self.first_above(line)
        self._first_above[line] = line
        while line > first:
            if line - 1 in self.whole:
                line, block = self.whole.pop(line - 1)
                texts = block + texts
            else:
                line -= 1
                texts = texts if texts[:1] == [""] else ["", *texts]
        return texts

    def take_opening(self, line: int) -> list[str]:
        """The comments that the file begins with, for the first of its lines that is printed."""
        self.opened = True
        code, last_lines = 1, {first: last for last, (first, _) in self.whole.items()}
        while code < line and (code in last_lines or not self.lines[code - 1].strip()):
            code = last_lines.get(code, code) + 1
        texts = self.take_above(code)
        return [*texts, ""] if texts and texts[-1] and code < line else texts


def find_comments(text: str) -> FileComments:
    found = FileComments(lines=text.split("\n"))
    line, at = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        comment = match[0]
        if comment[0] != "/":
            continue
        last = line + comment.count("\n")
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        end = text.find("\n", match.end())
        after = text[match.end() : len(text) if end < 0 else end]
        if not after.strip() and "\\\n" not in comment and not comment.endswith("\\"):
            texts = _plain_lines(comment)
            if not before.strip():
                found.whole[last] = (line, texts)
            elif len(texts) == 1:
                found.behind[line] = texts[0]
    return found


def _plain_lines(comment: str) -> list[str]:
    """A comment's lines, each as a // comment."""
    if comment.startswith("//"):
        return [_unspliced("//" + comment[2:].rstrip())]
    lines = [line.strip() for line in comment[2:-2].strip("*").split("\n")]
    lines = [line.lstrip("*").strip() for line in lines]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return [_unspliced(f"// {line}".rstrip()) for line in lines]


def _unspliced(comment: str) -> str:
    """A // comment that ends in a backslash would swallow the next line."""
    return f"/*{comment[2:].replace('*/', '* /')} */" if comment.endswith("\\") else comment


class Comments:
    """The comments of all files of a program."""

    def __init__(self, pre: SourceMap):
        self.pre = pre
        self._files: dict[SourceFile, FileComments] = {}

    def place(self, pos: int) -> tuple[FileComments, int]:
        """The comments of the file of `pos`, and its line there."""
        file, line = self.pre.origin(pos)
        return self._files.get(file) or self._found(file), line

    def _found(self, file: SourceFile) -> FileComments:
        found = self._files[file] = find_comments(file.original)
        return found

    def blank_above(self, file: SourceFile, first: int) -> bool:
        """Whether a blank line separates a line of the file, and the comments above it, from what is before."""
        comments = self._files.get(file) or self._found(file)
        first = comments.first_above(first)
        return first >= 2 and not comments.lines[first - 2].strip()
