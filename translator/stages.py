"""From a program to its translation: the front ends, linking, emission, and what their faults become."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from . import emit, spirv
from .diagnostics import NESTING, CompileError, Diagnostic, Diagnostics, InternalError, Position, TooManyErrors
from .garbage import resting
from .ir import functions, reach
from .ir import link as linking
from .ir import nodes as ir
from .ir.functions import FunctionInfo, NoSuchFunction
from .nesting import with_room
from .opencl_c import analyse
from .opencl_c.checked_functions import CheckedFunctions, Checking
from .opencl_c.dialect import Dialect
from .opencl_c.parse.parse import parse
from .opencl_c.preprocess.preprocess import SourceMap, preprocess
from .options import BuildOptions
from .translation import CompiledObject, Translation, module_of

__all__ = [
    "CheckedFunctions", "Dialect", "FunctionInfo", "NoSuchFunction", "compile_il_object", "compile_object", "link",
    "specialization_constants", "translate", "translate_function", "translate_il", "translate_kernels",
]  # fmt: skip

_UNNAMED = "<program>"  # a source as its messages call it


@contextmanager
def _stages(diagnostics: Diagnostics, filename: str) -> Iterator[None]:
    """What may go wrong in the stages becomes a CompileError, with all diagnostics, or an InternalError.

    In the millions of nodes of a large program Python's search for cyclic garbage finds none, again and again: it rests meanwhile. Nodes
    that are there when it comes back are moved, by a search through all of them, to where they are searched for again much later, as
    garbage, in whatever the process does then. So the stages form no cycle that holds nodes, and run in a function that ends, and
    frees them, inside this context.
    """
    try:
        with resting():
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


def _analysed(pre: SourceMap, options: BuildOptions, dialect: Dialect, diagnostics: Diagnostics, whole: bool,
              checked: CheckedFunctions | None = None, keeps_kernels: bool = True) -> ir.Program:
    checking = None if checked is None else Checking(checked, options, dialect, whole=whole, keeps_kernels=keeps_kernels)
    diagnostics.source_line = pre.source_line
    diagnostics.raise_if_errors()
    tree = parse(pre, diagnostics, dialect, checking.select) if checking else parse(pre, diagnostics, dialect)
    diagnostics.raise_if_errors()
    program = analyse.analyse(tree, pre, options, dialect, diagnostics, whole=whole)
    diagnostics.raise_if_errors()
    if checking and not diagnostics.found:
        checking.note()
    return program


def _translation(emitted: emit.Emitted, warnings: Sequence[Diagnostic], fp_contract: bool) -> Translation:
    return Translation(emitted.source, emitted.line_map, emitted.kernels, emitted.uses, tuple(warnings), fp_contract, emitted.global_size,
                       emitted.variables, emitted.recursive)


@with_room
def translate(
    source: str,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    filename: str = _UNNAMED,
    headers: Mapping[str, str] | None = None,
    dialect: Dialect | None = None,
    unreached: bool = False,
    item_loops: bool = False,
    checked: CheckedFunctions | None = None,
) -> Translation:
    """Translates an OpenCL C program.

    headers are the program's own (clCompileProgram), by the names that #include uses; `unreached` keeps functions and constants that
    no kernel reaches in the output. With `item_loops`, kernels with barriers become, where that is possible, functions that run a whole
    work-group, which only the host port's library can compile. With `checked`, functions that are known to be right are not looked at
    where no kernel reaches them, and those of this program are known then.

    Raises CompileError with all diagnostics when the program is invalid, wherever it is, InternalError when the fault is ours.
    """
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    with _stages(diagnostics, filename):
        return _translated(source, options, filename, headers or {}, dialect or Dialect.of(options), diagnostics, unreached, item_loops,
                           None if unreached else checked)


def _translated(source: str, options: BuildOptions, filename: str, headers: Mapping[str, str], dialect: Dialect, diagnostics: Diagnostics,
                unreached: bool, item_loops: bool, checked: CheckedFunctions | None) -> Translation:
    pre = preprocess(source, filename=filename, options=options, dialect=dialect, headers=headers, diagnostics=diagnostics)
    program = _analysed(pre, options, dialect, diagnostics, whole=True, checked=checked)
    emitted = emit.emit(program if unreached else reach.from_kernels([program])[0], pre, item_loops)
    return _translation(emitted, diagnostics.found, program.fp_contract)


@with_room
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


@with_room
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


@with_room
def compile_object(
    source: str,
    options: BuildOptions = BuildOptions(),  # noqa: B008 - frozen
    *,
    filename: str = _UNNAMED,
    headers: Mapping[str, str] | None = None,
    checked: CheckedFunctions | None = None,
) -> CompiledObject:
    """Checks a program that `link` makes one with others; errors, and `checked`, as of `translate`."""
    diagnostics = Diagnostics(warnings_as_errors=options.warnings_as_errors, no_warnings=options.no_warnings)
    with _stages(diagnostics, filename):
        return _compiled(source, options, filename, headers or {}, diagnostics, checked)


def _compiled(source: str, options: BuildOptions, filename: str, headers: Mapping[str, str], diagnostics: Diagnostics,
              checked: CheckedFunctions | None) -> CompiledObject:
    dialect = Dialect.of(options)
    pre = preprocess(source, filename=filename, options=options, dialect=dialect, headers=headers, diagnostics=diagnostics)
    _analysed(pre, options, dialect, diagnostics, whole=False, checked=checked, keeps_kernels=False)
    return CompiledObject(pre.to_json(), options, tuple(diagnostics.found))


@with_room
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


@with_room
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


def _object(each: CompiledObject, number: int, alone: bool, checked: CheckedFunctions | None) -> tuple[ir.Program, SourceMap]:
    name = _UNNAMED if alone else f"<program {number}>"
    if "il" in each.preprocessed:
        il, constants = module_of(each.preprocessed)
        return spirv.analyse(il, each.options, constants, name, whole=False)
    pre = SourceMap.from_json(each.preprocessed, {_UNNAMED: name})
    found = Diagnostics(no_warnings=True)
    # What another object calls is to stay.
    return _analysed(pre, each.options, Dialect.of(each.options), found, whole=False, checked=checked if alone else None), pre


@with_room
def link(objects: Sequence[CompiledObject], item_loops: bool = False, checked: CheckedFunctions | None = None) -> Translation:
    """One program of several objects. Raises CompileError for symbols that are missing, defined twice or declared differently; its
    messages count the objects: <program 2>. Warnings were given when the objects were compiled. `checked` as of `translate`."""
    diagnostics = Diagnostics()
    with _stages(diagnostics, "<link>"):
        return _linked(objects, diagnostics, item_loops, checked)


def _linked(objects: Sequence[CompiledObject], diagnostics: Diagnostics, item_loops: bool, checked: CheckedFunctions | None) -> Translation:
    parts = [_object(each, number, len(objects) == 1, checked) for number, each in enumerate(objects, 1)]
    linked = linking.resolve(parts, diagnostics)
    diagnostics.raise_if_errors()
    linking.leave_out_unreached(linked)
    emitted = emit.emit_linked(linked, item_loops) if len(linked) > 1 else emit.emit(linked[0].program, linked[0].pre, item_loops)
    return _translation(emitted, (), all(program.fp_contract for program, _ in parts))
