"""What no kernel reaches: diagnosed as the rest, printed and compiled only on demand, and never lost before linking."""

from __future__ import annotations

import re

import pytest
from support import language_cases
from support.cuda_programs import compile_for_cuda
from support.trees import tree

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.host.compiler import compile_program
from cl2cuda.translator import CompileError, Translation, compile_object, link, parse_options, translate
from cl2cuda.translator.diagnostics import Diagnostics
from cl2cuda.translator.ir import nodes as ir
from cl2cuda.translator.ir.walk import expressions_of
from cl2cuda.translator.opencl_c.analyse import analyse
from cl2cuda.translator.opencl_c.dialect import Dialect
from cl2cuda.translator.opencl_c.parse.parse import parse
from cl2cuda.translator.opencl_c.preprocess.preprocess import preprocess

_DEFINED = re.compile(r"^(?:__device__|__global__) .*?(\w+)\(.*\) \{", re.MULTILINE)

PROGRAM = """
constant int reached_table[2] = {1, 2};
constant int other_table[2] = {3, 4};
constant int *constant chosen = reached_table;
typedef struct { int x; } pair;
int later(int x);
float never_called(float x);
int helper(int x) { return later(x) + chosen[0]; }
int later(int x) { return x + 1; }
float never(float x) { return native_sin(x) + never_called(x) + other_table[0]; }
float never_called(float x) { constant static int inside[2] = {5, 6}; return x + inside[1]; }
kernel void f(global int *out) { pair p = {helper(out[0])}; out[0] = p.x; }
"""


def functions(translation: Translation) -> list[str]:
    """The functions with a body, in the order of the output."""
    return _DEFINED.findall(translation.user_source)


def test_what_no_kernel_reaches_is_not_printed():
    translation = translate(PROGRAM)
    assert functions(translation) == ["helper", "later", "f"]
    assert not re.search(r"never|other_table|inside", translation.user_source)
    assert {"reached_table", "chosen"} <= set(re.findall(r"\w+", translation.user_source))
    assert not any("native_sin" in use for use in translation.used_builtins)


def test_it_is_on_demand():
    translation = translate(PROGRAM, unreached=True)
    assert functions(translation) == ["helper", "later", "never", "never_called", "f"]
    assert "other_table" in translation.user_source


def test_a_program_without_kernels_is_whole():
    source = PROGRAM[: PROGRAM.index("kernel")]
    assert functions(translate(source)) == ["helper", "later", "never", "never_called"]


def test_one_kernel_over_a_tree_of_helpers():
    translation = translate(tree(functions=1000, reached=20))
    assert len(functions(translation)) == 21
    assert len(translation.user_source) < len(translate(tree(functions=1000, reached=20), unreached=True).user_source) / 20


@pytest.mark.parametrize("faulty", [
    "int never(int x) { return y; }",
    "static inline int never(global int *x) { local int *y = x; return *y; }",
    "int missing(int); int never(int x) { return missing(x); }",
    "int never(void) { break; }",
    "int never(int x) { return x +; }",
    "kernel void k(void); int never(void) { goto nowhere; }",
])  # fmt: skip
def test_its_errors_are_the_programs(faulty: str):
    """A program is valid or invalid whole: clang refuses these too."""
    with pytest.raises(CompileError):
        translate(f"{faulty}\nkernel void f(global int *out) {{ out[0] = 1; }}")


def test_its_warnings_are_given():
    source = "int never(int n) { return n / 0; } kernel void f(global int *out) { out[0] = 1; }"
    assert [each.severity for each in translate(source).diagnostics] == ["warning"]


def test_variables_of_the_global_address_space_stay():
    """Their size is asked for (CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)."""
    source = "global int kept[100]; global int *global place = &kept[3]; kernel void f(global int *out) { out[0] = 1; }"
    translation = translate(source, parse_options("-cl-std=CL2.0"))
    assert translation.global_size == 408
    assert "kept[100]" in translation.user_source


def test_a_kernel_reaches_through_blocks_and_kernels():
    source = """
    int (^at_scope)(int) = ^(int x) { return x + 1; };
    int in_block(int x) { return at_scope(x); }
    constant int table[1] = {7};
    kernel void called(global int *out) { int (^b)(int) = ^(int x) { return in_block(x) + table[0]; }; out[0] = b(1); }
    kernel void f(global int *out) { called(out); }
    int never(int x) { return in_block(x); }
    """
    translation = translate(source, parse_options("-cl-std=CL2.0"))
    assert "never" not in translation.user_source
    assert all(name in translation.user_source for name in ("at_scope", "in_block", "table[1]", "called_body"))


def test_assembly_that_no_kernel_reaches_hinders_no_other_compiler():
    source = 'int never(int x) { int y; asm("mov.s32 %0, %1;" : "=r"(y) : "r"(x)); return y; } kernel void f(global int *out) { out[0] = 1; }'
    assert compile_program(translate(source), parse_options(""))


# -- linking ---------------------------------------------------------------------------------------------------------

LIBRARY = """
constant int inner[2] = {1, 2};
constant int *constant exported = inner;
constant int unused[2] = {3, 4};
int deep(int x) { return x + exported[0]; }
int wanted(int x) { return deep(x); }
int unwanted(int x) { return x * 3; }
"""
USER = """
int wanted(int x);
extern constant int *constant exported;
int idle(int x) { return unused_here(x); }
kernel void f(global int *out) { out[0] = wanted(out[0]) + exported[1]; }
""".replace("unused_here(x)", "x - 1")


def test_nothing_is_left_out_before_linking():
    objects = [compile_object(source) for source in (LIBRARY, USER)]
    for order in (objects, objects[::-1]):
        text = link(order).user_source
        assert all(re.search(rf"\b{name}\b", text) for name in ("wanted", "deep", "exported", "inner"))
        assert not re.search(r"\b(unwanted|unused|idle)\b", text)


def test_objects_without_kernels_stay_whole():
    text = link([compile_object(LIBRARY), compile_object("int more(int x) { return x; }")]).user_source
    assert all(name in text for name in ("unwanted", "unused", "more"))


def test_a_definition_that_is_missing_is_missed_by_what_no_kernel_reaches():
    with pytest.raises(CompileError, match="undefined function 'missing'"):
        link([compile_object("int missing(int); int never(int x) { return missing(x); } kernel void f(void) { }")])


def test_the_linked_program_compiles():
    try:
        compiler = nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    options = parse_options("")
    translation = link([compile_object(source) for source in (LIBRARY, USER)])
    compile_for_cuda(translation, "sm_90", flags(options, compiler.version), compiler)


# -- the analysis' book-keeping --------------------------------------------------------------------------------------


def test_the_analysis_notes_every_variable_that_a_function_names():
    """In every valid case of the language, beside a walk through the function."""
    named = 0
    for case in language_cases.load():
        if case.error is None:
            for function, walked in walks(case):
                assert walked <= function.variables, f"{case.id}: {function.name}"
                named += len(walked)
    assert named > 20


def walks(case: language_cases.Case) -> list[tuple[ir.Function, set[ir.Variable]]]:
    diagnostics, options = Diagnostics(), parse_options(case.options)
    dialect: Dialect = case.dialect
    pre = preprocess(case.source, filename="case.cl", options=options, dialect=dialect, headers={}, diagnostics=diagnostics)
    program = analyse(parse(pre, diagnostics, dialect), pre, options, dialect, diagnostics)
    variables = {item.variable for item in program.items if isinstance(item, ir.VariableItem)}
    return [(function, {e.symbol for e in expressions_of(function.body) if isinstance(e, ir.Name)} & variables)
            for function in program.functions]
