"""Programs to CUDA C++: text to text, with the metadata of each kernel. Pure: no GPU, no CuPy, no NumPy.

Its rooms, the top floor first; each imports only from those below it:

    opencl_c      the front end for OpenCL C: preprocess -> parse -> analyse -> ir
    spirv         the front end for SPIR-V: read -> types, values, structured control flow -> ir
    emit          from ir to CUDA C++
    ir            the typed program, which front ends make and emit prints, and the facts about it that runtime needs
    options       build options
    diagnostics   errors and warnings with their places
"""

from __future__ import annotations

import base64
import binascii
import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from ..builtins.concurrency import observes_groups
from ..builtins.prelude import Use, prelude
from . import emit, spirv
from .diagnostics import NESTING, CompileError, Diagnostic, Diagnostics, InternalError, Position, TooManyErrors
from .emit.lines import with_line_directives
from .ir import functions, reach
from .ir import link as linking
from .ir import nodes as ir
from .ir.functions import FunctionInfo, NoSuchFunction
from .ir.kernel_info import ArgInfo, KernelInfo
from .opencl_c import analyse
from .opencl_c.dialect import Dialect
from .opencl_c.parse.parse import parse
from .opencl_c.preprocess.preprocess import SourceMap, preprocess
from .options import BuildOptions, OptionError, parse_options
from .spirv import SPIRV_VERSIONS, is_spirv

__all__ = [
    "SPIRV_VERSIONS", "ArgInfo", "BuildOptions", "CompileError", "CompiledObject", "Diagnostic", "Dialect", "FunctionInfo", "InternalError",
    "KernelInfo", "NoSuchFunction", "OptionError", "Position", "Translation", "compile_il_object", "compile_object", "is_spirv", "link",
    "parse_options", "specialization_constants", "translate", "translate_function", "translate_il", "translate_kernels",
]  # fmt: skip

_UNNAMED = "<program>"  # a source as its messages call it
OPENING = "namespace ocl { namespace user {\n"  # stands between the device library and the user's part
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
            return f"{library}\n{OPENING}\n{self.user_source}\n{_CLOSE}"
        return library + "\n" + OPENING + with_line_directives(self.user_source, self.line_map) + _CLOSE

    @property
    def observes_groups(self) -> bool:
        """Whether the program can tell how its work-items are grouped: then their grouping is not the runtime's to choose."""
        return any(observes_groups(use[1]) for use in self.used_builtins if use[0] == "fn")

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


@dataclass(frozen=True)
class CompiledObject:
    """A program that has been checked and may name what other objects define (clCompileProgram): preprocessed text, with all that
    it includes, or a module of SPIR-V, and its options. It holds data only, and so goes into binaries.

    preprocessed            of OpenCL C (`SourceMap.to_json`); of SPIR-V {"il": in Base64, "constants": {SpecId: hexadecimal}}
    takes_link_options      False in a library made without -enable-link-options (5.8.7.1)
    """

    preprocessed: dict[str, Any]
    options: BuildOptions
    diagnostics: tuple[Diagnostic, ...] = ()
    takes_link_options: bool = True

    def to_json(self) -> dict[str, Any]:
        return {"preprocessed": self.preprocessed, "options": self.options.to_json(), "takes_link_options": self.takes_link_options}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CompiledObject:
        """Raises KeyError, TypeError or ValueError for what `to_json` did not give."""
        if "il" in data["preprocessed"]:
            _module_of(data["preprocessed"])
        else:
            SourceMap.from_json(data["preprocessed"])
        return cls(data["preprocessed"], BuildOptions.from_json(data["options"]), (), bool(data["takes_link_options"]))


def _module_of(data: dict[str, Any]) -> tuple[bytes, dict[int, bytes]]:
    """The bytes of a compiled object's module, and its specialization constants."""
    try:
        il = base64.b64decode(data["il"], validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
    return il, {int(id): bytes.fromhex(value) for id, value in data["constants"].items()}


@contextmanager
def _stages(diagnostics: Diagnostics, filename: str) -> Iterator[None]:
    """What may go wrong in the stages becomes a CompileError, with all diagnostics, or an InternalError.

    In the millions of nodes of a large program Python's search for cyclic garbage finds none, again and again: it rests meanwhile. Nodes
    that are there when it comes back are moved, by a search through all of them, to where they are searched for again much later, as
    garbage, in whatever the process does then. So the stages form no cycle that holds nodes, and run in a function that ends, and
    frees them, inside this context.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    except TooManyErrors:
        raise CompileError((*diagnostics.found, Diagnostic("error", "too many errors emitted, stopping now"))) from None
    except emit.NestedTooDeeply as deep:
        raise CompileError((*diagnostics.found, diagnostics.make("error", NESTING, deep.pre.locate(deep.pos)))) from None
    except RecursionError:
        raise CompileError((*diagnostics.found, diagnostics.make("error", NESTING, Position(filename, 1, 1)))) from None
    except spirv.InvalidModule as invalid:
        raise CompileError((*diagnostics.found, Diagnostic("error", f"{filename}: {invalid}"))) from None
    except (CompileError, InternalError, NoSuchFunction, MemoryError):
        raise
    except Exception as bug:
        raise InternalError(f"{filename}: {type(bug).__name__} in the translator: {bug}") from bug
    finally:
        if enabled:
            gc.enable()


def _analysed(pre: SourceMap, options: BuildOptions, dialect: Dialect, diagnostics: Diagnostics, whole: bool) -> ir.Program:
    diagnostics.source_line = pre.source_line
    diagnostics.raise_if_errors()
    tree = parse(pre, diagnostics, dialect)
    diagnostics.raise_if_errors()
    program = analyse.analyse(tree, pre, options, dialect, diagnostics, whole=whole)
    diagnostics.raise_if_errors()
    return program


def _translation(emitted: emit.Emitted, warnings: Sequence[Diagnostic], fp_contract: bool) -> Translation:
    return Translation(emitted.source, emitted.line_map, emitted.kernels, emitted.uses, tuple(warnings), fp_contract, emitted.global_size)


def translate(
    source: str,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    filename: str = _UNNAMED,
    headers: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
    unreached: bool = False,
    item_loops: bool = False,
) -> Translation:
    """Translates an OpenCL C program.

    headers are the program's own (clCompileProgram), by the names that #include uses; `unreached` keeps functions and constants that
    no kernel reaches in the output. With `item_loops`, kernels with barriers become, where that is possible, functions that run a whole
    work-group, which only the host port's library can compile.

    Raises CompileError with all diagnostics when the program is invalid, wherever it is, InternalError when the fault is ours.
    """
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    with _stages(diagnostics, filename):
        return _translated(source, options, filename, headers or {}, dialect or Dialect.of(options), diagnostics, unreached,
                           item_loops)


def _translated(source: str, options: BuildOptions, filename: str, headers: Mapping[str, str], dialect: Dialect, diagnostics: Diagnostics,
                unreached: bool, item_loops: bool) -> Translation:
    pre = preprocess(source, filename=filename, options=options, dialect=dialect, headers=headers, diagnostics=diagnostics)
    program = _analysed(pre, options, dialect, diagnostics, whole=True)
    emitted = emit.emit(program if unreached else reach.from_kernels([program])[0], pre, item_loops)
    return _translation(emitted, diagnostics.found, program.fp_contract)


def translate_kernels(
    source: str,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    filename: str = _UNNAMED,
) -> tuple[Translation, tuple[FunctionInfo, ...]]:
    """As `translate`, with the parameters' types of each kernel, in the order of `Translation.kernels`, but for those that only kernels
    launch: for code that launches them."""
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    with _stages(diagnostics, filename):
        return _translated_kernels(source, options, filename, diagnostics)


def _translated_kernels(source: str, options: BuildOptions, filename: str,
                        diagnostics: Diagnostics) -> tuple[Translation, tuple[FunctionInfo, ...]]:
    dialect = Dialect.of(options)
    pre = preprocess(source, filename=filename, options=options, dialect=dialect, headers={}, diagnostics=diagnostics)
    program = _analysed(pre, options, dialect, diagnostics, whole=True)
    emitted = emit.emit(reach.from_kernels([program])[0], pre)
    kernels = {each.name: functions.described(each) for each in program.functions if each.kernel}
    infos = tuple(kernels[each.name] for each in emitted.kernels if each.block < 0)
    return _translation(emitted, diagnostics.found, program.fp_contract), infos


def translate_function(source: str, name: str, options: BuildOptions = BuildOptions()) -> tuple[Translation, FunctionInfo]:  # noqa: B008
    """One function of an OpenCL C program, with what it needs of it and without kernels: for code of another kind that calls it.

    Raises NoSuchFunction where the program has no one function of that name, and else as `translate`.
    """
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    with _stages(diagnostics, _UNNAMED):
        return _translated_function(source, name, options, diagnostics)


def _translated_function(source: str, name: str, options: BuildOptions, diagnostics: Diagnostics) -> tuple[Translation, FunctionInfo]:
    dialect = Dialect.of(options)
    pre = preprocess(source, filename=_UNNAMED, options=options, dialect=dialect, headers={}, diagnostics=diagnostics)
    program, info = functions.only(_analysed(pre, options, dialect, diagnostics, whole=True), name)
    return _translation(emit.emit(program, pre), diagnostics.found, program.fp_contract), info


def compile_object(
    source: str,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    filename: str = _UNNAMED,
    headers: Mapping[str, str] | None = None,
) -> CompiledObject:
    """Checks a program that `link` makes one with others; errors as of `translate`."""
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    with _stages(diagnostics, filename):
        return _compiled(source, options, filename, headers or {}, diagnostics)


def _compiled(source: str, options: BuildOptions, filename: str, headers: Mapping[str, str], diagnostics: Diagnostics) -> CompiledObject:
    dialect = Dialect.of(options)
    pre = preprocess(source, filename=filename, options=options, dialect=dialect, headers=headers, diagnostics=diagnostics)
    _analysed(pre, options, dialect, diagnostics, whole=False)
    return CompiledObject(pre.to_json(), options, tuple(diagnostics.found))


def translate_il(
    il: bytes,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    constants: Mapping[int, bytes] = MappingProxyType({}),
    filename: str = _UNNAMED,
    unreached: bool = False,
    item_loops: bool = False,
) -> Translation:
    """Translates a module of SPIR-V. `constants` are values of specialization constants by their SpecId, each as many bytes as the
    constant has (one for a boolean); the others are those of `translate`. Raises CompileError for a module that is damaged, or that
    needs what cl2cuda does not have."""
    with _stages(Diagnostics(), filename):
        return _translated_il(il, options, constants, filename, unreached, item_loops)


def _translated_il(il: bytes, options: BuildOptions, constants: Mapping[int, bytes], filename: str, unreached: bool,
                   item_loops: bool) -> Translation:
    program, places = spirv.analyse(il, options, constants, filename, whole=True)
    emitted = emit.emit(program if unreached else reach.from_kernels([program])[0], places, item_loops)
    return _translation(emitted, (), program.fp_contract)


def compile_il_object(
    il: bytes,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    constants: Mapping[int, bytes] = MappingProxyType({}),
    filename: str = _UNNAMED,
) -> CompiledObject:
    """Checks a module of SPIR-V that `link` makes one program with others; errors as of `translate_il`."""
    with _stages(Diagnostics(), filename):
        spirv.analyse(il, options, constants, filename, whole=False)
    data = {"il": base64.b64encode(il).decode(), "constants": {str(id): value.hex() for id, value in constants.items()}}
    return CompiledObject(data, options)


def specialization_constants(il: bytes) -> dict[int, int]:
    """The bytes of each specialization constant of a module of SPIR-V, by its SpecId; a boolean has one. CompileError for a module
    that is damaged."""
    with _stages(Diagnostics(), _UNNAMED):
        return spirv.specialization_constants(il)


def _object(each: CompiledObject, number: int, alone: bool) -> tuple[ir.Program, SourceMap]:
    name = _UNNAMED if alone else f"<program {number}>"
    if "il" in each.preprocessed:
        il, constants = _module_of(each.preprocessed)
        return spirv.analyse(il, each.options, constants, name, whole=False)
    pre = SourceMap.from_json(each.preprocessed, {_UNNAMED: name})
    found = Diagnostics(no_warnings=True)
    return _analysed(pre, each.options, Dialect.of(each.options), found, whole=False), pre


def link(objects: Sequence[CompiledObject], item_loops: bool = False) -> Translation:
    """One program of several objects. Raises CompileError for symbols that are missing, defined twice or declared differently; its
    messages count the objects: <program 2>. Warnings were given when the objects were compiled."""
    diagnostics = Diagnostics()
    with _stages(diagnostics, "<link>"):
        return _linked(objects, diagnostics, item_loops)


def _linked(objects: Sequence[CompiledObject], diagnostics: Diagnostics, item_loops: bool) -> Translation:
    parts = [_object(each, number, len(objects) == 1) for number, each in enumerate(objects, 1)]
    linked = linking.resolve(parts, diagnostics)
    diagnostics.raise_if_errors()
    linking.leave_out_unreached(linked)
    emitted = emit.emit_linked(linked, item_loops) if len(linked) > 1 else emit.emit(linked[0].program, linked[0].pre, item_loops)
    return _translation(emitted, (), all(program.fp_contract for program, _ in parts))
