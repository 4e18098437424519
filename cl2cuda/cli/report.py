"""Translates programs one by one and tells what was found in them: diagnostics as they come, a count at the end, the exit status."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..translator import Translation, translate
from ..translator.diagnostics import CompileError, Diagnostic, InternalError
from ..translator.options import BuildOptions
from .inputs import Source
from .progress import Progress

INVALID_PROGRAM = 1


class Report:
    """`found` keeps every diagnostic for who writes them in another form; `shows` says whether they go to standard error meanwhile."""

    def __init__(self, *, shows: bool = True) -> None:
        self.bar: Progress[Source] = Progress([])
        self.shows = shows
        self.found: list[Diagnostic] = []
        self.programs = 0
        self.invalid = 0
        self.counts = {"error": 0, "warning": 0, "note": 0}

    def progress(self, sources: Sequence[Source]) -> Progress[Source]:
        self.bar = Progress(sources, label=lambda source: source.path)
        return self.bar

    def translate(self, source: Source, options: BuildOptions, *, unreached: bool) -> Translation | None:
        """The translation, or None where the program is invalid."""
        self.programs += 1
        name = "<stdin>" if source.path == "-" else source.path
        try:
            translation = translate(source.text, options, filename=name, unreached=unreached)
        except CompileError as error:
            self.invalid += 1
            self.show(error.diagnostics)
            return None
        except InternalError as bug:
            self.invalid += 1
            self.bar.clear()
            print(f"error: {bug}", file=sys.stderr)
            self.found.append(Diagnostic("error", str(bug)))
            return None
        self.show(translation.diagnostics)
        return translation

    def show(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.bar.clear()
        self.found += diagnostics
        for diagnostic in diagnostics:
            self.counts[diagnostic.severity] += 1
            if self.shows:
                print(diagnostic, file=sys.stderr)

    def summary(self) -> str:
        found = [counted(self.counts[severity], severity) for severity in ("error", "warning") if self.counts[severity]]
        programs = counted(self.programs, "program")
        valid = f"{self.invalid} of {programs} invalid" if self.invalid else f"{programs} valid"
        return ", ".join([valid, *found])

    def exit_status(self) -> int:
        return INVALID_PROGRAM if self.invalid else 0


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
