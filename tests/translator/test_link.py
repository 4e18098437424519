"""Linking in the translator: what becomes one of several objects, and what stays apart. NVRTC compiles what comes out."""

import functools

import pytest
from support import language_cases
from support.cuda_programs import compile_for_cuda

from cl2cuda import translator
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.translator import CompiledObject, CompileError, compile_object, link, parse_options
from cl2cuda.translator.ir.source_map import SourceMap
from cl2cuda.translator.options import BuildOptions, LinkOptions, OptionError, linked_options, parse_link_options


def linked(*sources, options=""):
    """The translation, after NVRTC has taken it, where there is one."""
    parsed = parse_options(options)
    objects = [compile_object(source, parsed) for source in sources]
    # As objects are when they come out of a binary.
    translation = link([CompiledObject.from_json(each.to_json()) for each in objects])
    compiler = _compiler()
    if compiler is not None:
        compile_for_cuda(translation, "sm_90", flags(parsed, compiler.version), compiler)
    return translation


@functools.cache
def _compiler():
    try:
        return nvrtc.nvrtc()
    except DriverMissing:
        return None


def refused(*sources, options=""):
    with pytest.raises(CompileError) as error:
        linked(*sources, options=options)
    return str(error.value)


def test_one_object_is_translated_as_a_program_is():
    source = "static int f(int x) { return x; }\nkernel void k(global int *p) { *p = f(1); }\n"
    assert linked(source) == translator.translate(source)


def test_functions_of_other_objects_learn_the_size_of_sub_groups():
    helper = "uint helper(uint sub_group) { return sub_group_reduce_add(sub_group) + get_sub_group_local_id(); }"
    kernel = "uint helper(uint x); {} kernel void {}(global uint *p) {{ p[get_global_id(0)] = helper(1); }}"
    small = kernel.format("__attribute__((intel_reqd_sub_group_size(16)))", "small")
    for sources in ((helper, small, kernel.format("", "whole")), (kernel.format("", "whole"), small, helper)):
        text = linked(*sources, options="-cl-std=CL3.0").user_source
        assert text.count("helper(1, sub_group_)") == 2 and text.count("auto sub_group_") == 2
        assert "sub_group_tile<16> sub_group_{};" in text and "sub_group_tile<32> sub_group_{};" in text
    assert "auto" not in linked(helper, kernel.format("", "whole"), options="-cl-std=CL3.0").user_source


def test_types_that_are_alike_become_one():
    header = "struct pair { int a; float4 b; };\ntypedef struct { struct pair p[2]; } pairs;\nint f(pairs *p, struct pair q);\n"
    text = linked(header + "int f(pairs *p, struct pair q) { return p->p[1].a + q.a; }",
                  header + "kernel void k(global int *out) { pairs p; *out = f(&p, p.p[0]); }").user_source
    assert text.count("struct pair {") == text.count("struct pairs {") == 1
    assert "using object1::pair;" in text


def test_types_that_differ_stay_apart():
    text = linked("struct s { int a; }; int f(void) { struct s s = {1}; return s.a; }",
                  "struct s { float4 a; }; int f(void); kernel void k(global int *p) { struct s s; *p = f() + (int)s.a.x; }").user_source
    assert text.count("struct s {") == 2


def test_a_type_that_only_a_later_object_defines():
    text = linked("struct node; int f(struct node *n); struct node *next(struct node *n);\n"
                  "int g(struct node *n) { return f(next(n)); }",
                  "struct node { int value; struct node *next; };\nstruct node *next(struct node *n) { return n->next; }\n"
                  "int f(struct node *n) { return n->value; } int g(struct node *n);\n"
                  "kernel void k(global int *p) { struct node a = {1, 0}, b = {2, &a}; *p = g(&b); }").user_source
    assert text.index("struct node;") < text.index("using object2::node;") < text.index("struct node {")


def test_types_without_tags_are_known_by_their_members():
    text = linked("typedef struct { int a; } first; int f(first x) { return x.a; }",
                  "typedef struct { int a; } second; int f(second x); kernel void k(global int *p) { second s = {1}; *p = f(s); }").user_source
    assert "using second = object1::first;" in text
    assert "'f' is declared as" in refused("typedef struct { int a; } t; int f(t x) { return x.a; }",
                                           "typedef struct { int b; } t; int f(t x); kernel void k(global int *p) { t s; *p = f(s); }")


def test_static_names_and_those_of_built_ins_do_not_meet():
    """`dot` and `min` are one object's own; the other calls the built-in ones."""
    first = "static int help(int x) { return x; } float dot(float4 a, float4 b) { return help(1); } static int min(int a) { return a; }\n" \
            "kernel void j(global float *p) { *p = dot(p[0], p[1]) + min(3); }"
    second = "static int help(int x) { return 2 * x; }\n" \
             "kernel void k(global float *p) { *p = dot((float4)(1), (float4)(2)) + help(1) + min(3, 4); }"
    translation = linked(first, second)
    assert "object1::dot(" in translation.user_source
    assert {use[1] for use in translation.used_builtins if use[0] == "fn"} == {"dot", "min"}


def test_names_that_look_like_our_namespaces():
    text = linked("int object1(int object2) { return object2; }", "int object1(int); kernel void k(global int *p) { *p = object1(1); }").user_source
    assert "namespace object1_ {" in text and "object1_::object1(1)" in text


def test_what_a_kernel_needs_is_found_through_other_objects():
    kernel, = linked("void g(local int *p); void f(local int *p) { g(p); barrier(CLK_LOCAL_MEM_FENCE); }",
                     "void g(local int *p) { printf(\"%d\", p[0]); }",
                     "void f(local int *p); kernel void k(global int *p) { local int l[100]; f(l); }").kernels
    assert kernel.uses_barrier and kernel.uses_printf and kernel.uses_local_memory
    assert kernel.local_size == 400


def test_variables_of_other_objects():
    translation = linked("extern constant int sizes[]; extern global int count;\n"
                         "int f(int i) { count++; return sizes[i]; }",
                         "constant int sizes[3] = {1, 2, 3}; global int count; int f(int);\n"
                         "kernel void k(global int *p) { *p = f(2) + count; }", options="-cl-std=CL3.0")
    assert translation.global_size == 4
    assert "object2::sizes[i]" in translation.user_source


def test_positions_lead_to_the_file_and_line_of_the_object():
    header = {"deep.h": "int f(int);\n\nint g(void) { return f(1); }\n"}
    objects = [compile_object('#define TWO 2\n#include "deep.h"\n', headers=header),
               compile_object("#line 70 \"made.cl\"\nfloat f(int x) { return x; }\n")]
    with pytest.raises(CompileError) as error:
        link(objects)
    assert "deep.h:1:5: error: 'f' is declared as 'int (int)'" in str(error.value)
    assert "made.cl:70:7: note: defined here\n    float f(int x) { return x; }\n          ^" in str(error.value)


def test_messages_count_the_objects():
    message = refused("int f(int x) { return x; }", "\nint f(int x) { return x; }")
    assert "<program 2>:2:5: error: 'f' is defined in two" in message
    assert "<program 1>:1:5: note: also defined here" in message


def test_a_preprocessed_text_survives_json():
    source = '#define TWICE(x) x x\n#include "h.h"\nkernel void k(global int *p) { /* . */ *p = \\\nTWICE(1 +) 2; }\n'
    data = compile_object(source, parse_options("-DY=1"), headers={"h.h": "#define Z 3\nconstant int z = Z + Y;\n"}).preprocessed
    again = SourceMap.from_json(data)
    assert again.to_json() == data
    assert str(again.locate(again.text.index("z ="))) == "h.h:2:14"


@pytest.mark.parametrize("text, expected", [
    ("", LinkOptions()),
    ("-create-library", LinkOptions(True)),
    ("-create-library -enable-link-options", LinkOptions(True, True)),
    (" -cl-no-signed-zeros  -cl-denorms-are-zero", LinkOptions(allowed=("no_signed_zeros", "denorms_are_zero"))),
])
def test_link_options(text, expected):
    assert parse_link_options(text) == expected


@pytest.mark.parametrize("text", ["-enable-link-options", "-cl-std=CL1.2", "-D X", "-cl-mad-enable", "library",
                                  "-create-library -cl-fast-relaxed-math"])
def test_what_is_no_link_option(text):
    with pytest.raises(OptionError):
        parse_link_options(text)


def test_options_of_objects_and_of_the_link_together():
    """A permission counts when all objects give it, by their own options or by the link's; a demand when one makes it."""
    fast, exact = parse_options("-cl-fast-relaxed-math -cl-std=CL3.0"), parse_options("-cl-fp32-correctly-rounded-divide-sqrt -cl-std=CL2.0")
    assert linked_options([(fast, True), (fast, True)], LinkOptions()) == fast
    both = linked_options([(fast, True), (exact, True)], LinkOptions())
    assert both == exact
    quick = parse_link_options("-cl-fast-relaxed-math")
    assert linked_options([(fast, True), (exact, True)], quick).fast_relaxed_math
    assert not linked_options([(fast, True), (exact, False)], quick).fast_relaxed_math  # a library that does not take link options
    limited = [(BuildOptions(nv_max_registers=n), True) for n in (None, 64, 32)]
    assert linked_options(limited, LinkOptions()).nv_max_registers == 32


CASES = [case for case in language_cases.load() if case.runs and not case.xfail and not case.without]
GROUP = 12


def _groups():
    by_options: dict[str, list[language_cases.Case]] = {}
    for case in CASES:
        by_options.setdefault(case.options, []).append(case)
    return [cases[start : start + GROUP] for cases in by_options.values() for start in range(0, len(cases), GROUP)]


@pytest.mark.parametrize("cases", _groups(), ids=lambda cases: cases[0].id)
def test_programs_of_the_language_as_objects_of_one(cases):
    """Whatever a program may hold, it can be an object among others."""
    sources = [case.source for case in cases]
    try:
        translation = linked(*sources, options=cases[0].options)
        assert len(translation.kernels) >= len(cases)
    except CompileError as error:
        assert "is defined in two of the linked objects" in str(error)
        for source in sources:
            linked(source, "int nothing_else_has_this_name(int x) { return x; }", options=cases[0].options)
