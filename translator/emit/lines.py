"""The lines of the output, each with the place in the user's program it came from."""

from __future__ import annotations

from ..preprocess import Preprocessed

INDENT = "    "


class Lines:
    """Collects the output. Places are offsets into the preprocessed text; None where a line is of our own making."""

    def __init__(self, pre: Preprocessed):
        self.pre = pre
        self.texts: list[str] = []
        self.places: list[int | None] = []
        self.depth = 0

    def add(self, text: str, pos: int | None = None) -> None:
        self.texts.append(INDENT * self.depth + text if text and not text.startswith("#") else text)
        self.places.append(pos)

    def blank(self) -> None:
        if self.texts and self.texts[-1] and not self.texts[-1].endswith("{"):
            self.add("")

    def blank_like_source(self, pos: int) -> None:
        """A blank line where the user's text has one before the line of `pos`."""
        text = self.pre.text
        start = text.rfind("\n", 0, pos)
        if start > 0 and not text[text.rfind("\n", 0, start) + 1 : start].strip():
            self.blank()

    def insert(self, at: int, texts: list[str]) -> None:
        self.texts[at:at] = texts
        self.places[at:at] = [None] * len(texts)

    def line_map(self) -> tuple[tuple[str, int] | None, ...]:
        """(file, line) for each line of the output that has a place."""
        found: list[tuple[str, int] | None] = []
        for place in self.places:
            if place is None:
                found.append(None)
            else:
                position = self.pre.locate(place)
                found.append((position.file, position.line))
        return tuple(found)


def with_line_directives(text: str, line_map: tuple[tuple[str, int] | None, ...]) -> str:
    """The text with `#line` wherever the compiler would count wrongly, so that its messages name the user's lines."""
    made: list[str] = []
    expected: tuple[str, int] | None = None
    for line, place in zip(text.split("\n"), line_map, strict=False):
        if place is not None and place != expected:
            file = place[0].replace("\\", "\\\\").replace('"', '\\"')
            made.append(f'#line {place[1]} "{file}"')
            expected = place
        made.append(line)
        if expected is not None:
            expected = (expected[0], expected[1] + 1)
    return "\n".join(made) + "\n"
