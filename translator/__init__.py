"""OpenCL C to CUDA C++: text to text, with the metadata of each kernel. Pure: no GPU, no CuPy, no NumPy.

    preprocess -> parse -> analyse -> typed IR (ir) -> emit
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from ..builtins.prelude import Use, prelude
from . import analyse, emit
from .diagnostics import NESTING, CompileError, Diagnostic, Diagnostics, InternalError, Position, TooManyErrors
from .dialect import Dialect
from .emit.lines import with_line_directives
from .kernel_info import ArgInfo, KernelInfo
from .options import BuildOptions, OptionError, parse_options
from .parse import parse
from .preprocess import preprocess

__all__ = [
    "ArgInfo", "BuildOptions", "CompileError", "Diagnostic", "Dialect", "InternalError", "KernelInfo", "OptionError", "Position",
    "Translation", "parse_options", "translate",
]  # fmt: skip

_OPEN = "namespace ocl { namespace user {\n"
_CLOSE = "} }\n"


@dataclass(frozen=True)
class Translation:
    """A translated program.

    user_source     the user's part as CUDA C++, as a person reads it
    line_map        for each of its lines the (file, line) it came from, or None
    used_builtins   what it needs of the device library
    diagnostics     warnings
    global_size     bytes of its variables in the global address space, which outlive a kernel: there must be one of each
    fp_contract     False where the program says FP_CONTRACT OFF: the compiler must round every product
    """

    user_source: str
    line_map: tuple[tuple[str, int] | None, ...]
    kernels: tuple[KernelInfo, ...]
    used_builtins: tuple[Use, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    fp_contract: bool = True
    global_size: int = 0

    def source(self, port: Literal["cuda", "host"], *, general_launch: bool = False, comments: bool = False) -> str:
        """A whole program for one compiler: the device library's used part, then the user's. With `comments` it is made
        to be read (and compiled by nvcc alone), else it carries #line for the compiler's messages."""
        library = prelude(port, self.used_builtins, general_launch=general_launch, comments=comments)
        if comments:
            return f"{library}\n{_OPEN}\n{self.user_source}\n{_CLOSE}"
        return library + "\n" + _OPEN + with_line_directives(self.user_source, self.line_map) + _CLOSE

    def to_json(self) -> dict[str, Any]:
        return {
            "user_source": self.user_source,
            "line_map": [list(place) if place else None for place in self.line_map],
            "kernels": [kernel.to_json() for kernel in self.kernels],
            "used_builtins": [list(use) for use in self.used_builtins],
            "warnings": [str(each) for each in self.diagnostics],
            "fp_contract": self.fp_contract,
            "global_size": self.global_size,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Translation:
        return cls(
            data["user_source"],
            tuple((place[0], place[1]) if place else None for place in data["line_map"]),
            tuple(KernelInfo.from_json(kernel) for kernel in data["kernels"]),
            tuple(tuple(use) for use in data["used_builtins"]),
            tuple(Diagnostic("warning", text) for text in data["warnings"]),
            data["fp_contract"],
            data["global_size"],
        )


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Without Python's search for cyclic garbage: in the millions of nodes of a large program it finds none, again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def translate(
    source: str,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    filename: str = "<program>",
    headers: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
) -> Translation:
    """Translates an OpenCL C program.

    headers are the program's own (clCompileProgram), by the names that #include uses. Raises CompileError with all
    diagnostics when the program is invalid, InternalError when the fault is ours.
    """
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    dialect = dialect or Dialect.of(options)
    try:
        with _collection_paused():
            pre = preprocess(source, filename=filename, options=options, dialect=dialect, headers=headers or {}, diagnostics=diagnostics)
            diagnostics.source_line = pre.source_line
            diagnostics.raise_if_errors()
            tree = parse(pre, diagnostics, dialect)
            diagnostics.raise_if_errors()
            program = analyse.analyse(tree, pre, options, dialect, diagnostics)
            diagnostics.raise_if_errors()
            emitted = emit.emit(program, pre)
    except TooManyErrors:
        raise CompileError((*diagnostics.found, Diagnostic("error", "too many errors emitted, stopping now"))) from None
    except emit.NestedTooDeeply as deep:
        raise CompileError((*diagnostics.found, diagnostics.make("error", NESTING, pre.locate(deep.pos)))) from None
    except RecursionError:
        raise CompileError((*diagnostics.found, diagnostics.make("error", NESTING, Position(filename, 1, 1)))) from None
    except (CompileError, InternalError, MemoryError):
        raise
    except Exception as bug:
        raise InternalError(f"{filename}: {type(bug).__name__} in the translator: {bug}") from bug
    warnings = tuple(diagnostics.found)
    return Translation(emitted.source, emitted.line_map, emitted.kernels, emitted.uses, warnings, program.fp_contract, emitted.global_size)
