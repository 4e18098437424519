"""Markdown's few forms that the generated pages use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MADE = "<!-- Made by `python docs/generate`: change what it is made of. -->\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def anchor(heading: str) -> str:
    """The name of the link to a heading, as GitHub makes it."""
    kept = [letter for letter in heading.lower() if letter.isalnum() or letter in " -_"]
    return "".join(kept).replace(" ", "-")
