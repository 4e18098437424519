"""Translates programs one by one and tells what was found in them: diagnostics as they come, a count at the end, the exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from ..porting.launchers.program import Program
from ..porting.launchers.program import program as launched_program
from ..translator import Translation, translate, translate_il
from ..translator.diagnostics import CompileError, Diagnostic, InternalError
from ..translator.options import BuildOptions
from .inputs import Source
from .progress import Progress

INVALID_PROGRAM = 1
Made = TypeVar("Made")


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
        if source.il:
            translation = self._tried(lambda: translate_il(source.il, options, filename=source.shown, unreached=unreached))
        else:
            translation = self._tried(lambda: translate(source.text, options, filename=source.shown, unreached=unreached))
        if translation is not None:
            self.show(translation.diagnostics)
        return translation

    def launched(self, source: Source, options: BuildOptions) -> Program | None:
        """The program as launchers take it, or None where it is invalid."""
        program = self._tried(lambda: launched_program(source.text, options, source.stem, source.name, source.shown))
        if program is not None:
            self.show(program.translation.diagnostics)
        return program

    def _tried(self, work: Callable[[], Made]) -> Made | None:
        self.programs += 1
        try:
            return work()
        except CompileError as error:
            self.invalid += 1
            self.show(error.diagnostics)
        except InternalError as bug:
            self.invalid += 1
            self.bar.clear()
            print(f"error: {bug}", file=sys.stderr)
            self.found.append(Diagnostic("error", str(bug)))
        return None

    def left_out(self, source: Source, program: Program) -> None:
        """Tells which kernels have no launcher. A program without any counts as one that failed."""
        self.bar.clear()
        severity = "warning" if program.kernels else "error"
        self.invalid += not program.kernels
        for kernel, reason in program.left_out:
            print(f"{source.shown}: {severity}: there is no launcher for kernel '{kernel}': {reason}", file=sys.stderr)
        if not program.kernels and not program.left_out:
            print(f"{source.shown}: error: there is no kernel in it to launch", file=sys.stderr)

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
