"""The lines of the output, each with the place in the user's program it came from."""

from __future__ import annotations

import re
from functools import lru_cache

from ..ir.source_map import SourceMap
from .comments import Comments

INDENT = "    "
WIDTH = 120


class Lines:
    """Collects the output. Places are offsets into the preprocessed text; None where a line is of our own making."""

    def __init__(self, pre: SourceMap):
        self.pre = pre
        self.texts: list[str] = []
        self.places: list[int | None] = []
        self.depth = 0
        self.comments = Comments(pre)
        self._behind: dict[tuple[int, int], tuple[int, str]] = {}  # by file and line: output line and comment

    def add(self, text: str, pos: int | None = None) -> None:
        if not text or text.startswith("#"):
            self.texts.append(text)
            self.places.append(pos)
            return
        if pos is None:
            self._append(text, None)
            return
        comments, line = self.comments.place(pos)
        above = [] if comments.opened else comments.take_opening(line)
        for comment in [*above, *comments.take_above(line)]:
            self.texts.append(INDENT * self.depth + comment if comment else "")
            self.places.append(None)
        self._append(text, pos)
        if line in comments.behind:
            self._behind[id(comments), line] = (len(self.texts) - 1, comments.behind[line])

    def _append(self, text: str, pos: int | None) -> None:
        line = INDENT * self.depth + text
        if len(line) <= WIDTH:
            self.texts.append(line)
            self.places.append(pos)
            return
        lines = wrapped(line)
        self.texts += lines
        self.places += [pos, *[None] * (len(lines) - 1)]

    def blank(self) -> None:
        if self.texts and self.texts[-1] and not self.texts[-1].endswith("{"):
            self.add("")

    def blank_like_source(self, pos: int, previous: int) -> None:
        """A blank line where the user's text has one before the line of `pos` and its comments."""
        here = self.pre.origin(pos)
        if here != self.pre.origin(previous) and self.comments.blank_above(*here):
            self.blank()

    def finish(self) -> str:
        """The whole text, with the comments that stand behind code put there."""
        for at, comment in self._behind.values():
            self.texts[at] += " " + comment
        return "\n".join(self.texts) + "\n"

    def insert(self, at: int, texts: list[str]) -> None:
        self.texts[at:at] = texts
        self.places[at:at] = [None] * len(texts)
        self._behind = {key: (line + len(texts) * (line >= at), text) for key, (line, text) in self._behind.items()}

    def line_map(self) -> tuple[tuple[str, int] | None, ...]:
        """(file, line) for each line of the output that has a place."""
        return tuple(None if place is None else self.pre.line(place) for place in self.places)


class InlineLines(Lines):
    """Lines that become one: without places, comments and directives."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.depth = 0

    def add(self, text: str, pos: int | None = None) -> None:
        if text and not text.startswith("#"):
            self.texts.append(text)

    def blank_like_source(self, pos: int, previous: int) -> None:
        pass

    def finish(self) -> str:
        return " ".join(self.texts)


_LETTER = re.compile(r"[A-Za-z0-9]")
# A literal, in which no line is broken, or a place to break one.
_BREAK = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|(, )|( (?:[-+*/?:=]|&&|\|\||<<|>>) )')


def wrapped(line: str, width: int = WIDTH) -> list[str]:
    """A long line broken after a comma or before an operator, its continuation indented twice."""
    indent = line[: len(line) - len(line.lstrip())] + 2 * INDENT
    lines, lead, start, seen = [], "", 0, 0
    while len(lead) + len(line) - start > width:
        shift = len(lead) - start  # from a place in the line to its column
        best, seen = _best_break(line, seen, len(indent) - shift, width - shift)
        if not best:
            break
        lines.append(lead + line[start:best])
        lead, start = indent, best + 1
    return [*lines, lead + line[start:]]


def _best_break(line: str, seen: int, least: int, limit: int) -> tuple[int, int]:
    """The last place between the two, or the first behind `limit`, where the line may be broken, and where the search goes on; 0 for none.
    Up to `seen` it has been searched."""
    if "'" not in line and '"' not in line:
        # Near the limit is where most are. A letter or digit is in none.
        near = _LETTER.search(line, max(seen, limit - 40))
        if near is not None and (found := _last_break(line, near.start(), least, limit))[0] and found[0] < limit:
            return found
    return _last_break(line, seen, least, limit)


def _last_break(line: str, seen: int, least: int, limit: int) -> tuple[int, int]:
    best, end = 0, seen
    for match in _BREAK.finditer(line, seen):
        kind, place = match.lastindex, match.start()
        if best and place >= limit:
            break
        if kind is not None and place > least:
            best, end = place + (kind == 1), match.end()
    return best, end


def with_line_directives(text: str, line_map: tuple[tuple[str, int] | None, ...]) -> str:
    """The text with `#line` wherever the compiler would count wrongly, so that its messages name the user's lines."""
    made: list[str] = []
    file, number = "", 0  # what the compiler would call the next line
    for line, place in zip(text.split("\n"), line_map, strict=False):
        if place is not None and (place[1] != number or place[0] != file):
            if not line:
                continue  # what a part of the program lacks
            file, number = place
            made.append(f'#line {number} "{_quoted(file)}"')
        elif "//" in line and line.lstrip().startswith("//"):
            continue  # comments cost the compiler time
        made.append(line)
        number += 1
    return "\n".join(made) + "\n"


@lru_cache(maxsize=16)
def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')
