"""Diagnostics: what the translator tells a person, in clang's form.

Owns positions, single diagnostics and the collector that every stage reports to. An error here is the user's; a bug of
ours is an InternalError and asks for a report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "note"]

EXCERPT = 200  # characters of a line that a message shows; machines write lines of many thousands

NESTING = "expressions or statements are nested too deeply here for cl2cuda"
MACRO_NESTING = "macros or includes are nested too deeply"


class Position(NamedTuple):
    """A place in the user's own text: file as the user names it, line and column counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """One message, with the source line it speaks of ("" when there is none) and the notes that belong to it."""

    severity: Severity
    message: str
    position: Position | None = None
    source_line: str = ""
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        where = f"{self.position}: " if self.position else ""
        lines = [f"{where}{self.severity}: {self.message}"]
        if self.position and self.source_line:
            shown, before = excerpt(self.source_line, self.position.column - 1)
            lines.append(f"    {shown}")
            # A tab before the caret stays a tab, so that the caret stands under its character.
            lead = "".join("\t" if c == "\t" else " " for c in shown[:before])
            lines.append(f"    {lead}^")
        lines += [str(note) for note in self.notes]
        return "\n".join(lines)


def excerpt(line: str, at: int) -> tuple[str, int]:
    """The part of a long line around a place in it, and the place there."""
    if len(line) <= EXCERPT:
        return line, at
    start = max(0, min(at - EXCERPT // 2, len(line) - EXCERPT))
    before, behind = "..." * (start > 0), "..." * (start + EXCERPT < len(line))
    return before + line[start : start + EXCERPT] + behind, len(before) + at - start


class CompileError(Exception):
    """The program is invalid. `diagnostics` holds every message found, errors and warnings in order."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]):
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


class InternalError(Exception):
    """A bug of cl2cuda's, not of the user's program."""

    def __init__(self, message: str):
        super().__init__(f"{message}\nThis is a bug in cl2cuda, not in your program: please report it with the source that shows it.")


class TooManyErrors(Exception):
    """Raised by `Diagnostics.error` at the limit, to stop a stage; `translate` turns it into a CompileError."""


class Diagnostics:
    """Collects what the stages report. `where` positions come from a stage's own map back to the user's text."""

    limit = 20

    def __init__(self, *, warnings_as_errors: bool = False, no_warnings: bool = False):
        self.found: list[Diagnostic] = []
        self.errors = 0
        self.warnings_as_errors = warnings_as_errors
        self.no_warnings = no_warnings
        self.source_line: Callable[[Position], str] = lambda position: ""

    def make(self, severity: Severity, message: str, position: Position | None, notes: tuple[Diagnostic, ...] = ()) -> Diagnostic:
        line = self.source_line(position) if position else ""
        return Diagnostic(severity, message, position, line, notes)

    def error(self, message: str, position: Position | None, notes: tuple[Diagnostic, ...] = ()) -> None:
        self.found.append(self.make("error", message, position, notes))
        self.errors += 1
        if self.errors >= self.limit:
            raise TooManyErrors

    def warning(self, message: str, position: Position | None, notes: tuple[Diagnostic, ...] = ()) -> None:
        if self.no_warnings:
            return  # 5.8.6.4: "-w: Inhibit all warning messages", so that none is left for -Werror.
        if self.warnings_as_errors:
            self.error(message + " [-Werror]", position, notes)
        else:
            self.found.append(self.make("warning", message, position, notes))

    def raise_if_errors(self) -> None:
        if self.errors:
            raise CompileError(tuple(self.found))
