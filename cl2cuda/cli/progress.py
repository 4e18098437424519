"""A progress bar on the standard error stream, shown only where a person watches a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")

BAR = 30


class Progress(Generic[Item]):
    """Goes through `items` and shows how far it is. `clear` makes room for other output in between."""

    def __init__(self, items: Sequence[Item], *, label: Callable[[Item], str] = str, at_least: int = 4):
        self.items = items
        self.label = label
        self.shown = len(items) >= at_least and sys.stderr.isatty()

    def __iter__(self) -> Iterator[Item]:
        for done, item in enumerate(self.items):
            self.draw(done, self.label(item))
            yield item
        self.clear()

    def draw(self, done: int, label: str) -> None:
        if self.shown:
            filled = BAR * done // len(self.items)
            line = f"[{'#' * filled}{'.' * (BAR - filled)}] {done}/{len(self.items)} {label}"
            sys.stderr.write("\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()

    def clear(self) -> None:
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
