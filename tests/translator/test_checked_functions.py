"""Functions that are known to be right are not looked at again where nothing reaches them (translator/opencl_c/checked_functions.py)."""

from __future__ import annotations

import pytest

from cl2cuda.translator import CheckedFunctions, CompileError, compile_object, link, parse_options, translate
from cl2cuda.translator.opencl_c import checked_functions
from cl2cuda.translator.opencl_c.checked_functions import Checking

HEADER = """
typedef struct { int a, b; } pair;
enum { ONE = 1, TWO };
constant int table[2] = { 3, 4 };
void declared(global int *out, int n);
int used(int x) { return x + table[ONE]; }
static inline pair swapped(pair p) { pair q = { p.b, p.a }; return q; }
__attribute__((overloadable)) int twice(int x) { return used(x) + used(x); }
__attribute__((overloadable)) float twice(float x) __attribute__((const)) { return x + x; }
void declared(global int *out, int n) { for (int i = 0; i < n; i++) out[i] = twice(i) + swapped((pair) { i, 0 }).b; }
"""
KERNEL = "kernel void k(global int *out) { out[0] = used(2); }"


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(checked_functions, "WORTH_CHECKING", 0)
    return CheckedFunctions()


@pytest.fixture
def names(monkeypatch):
    """The functions that the last program was left with."""
    found, select = [], Checking.select

    def noted(self, text, tokens):
        left = select(self, text, tokens)
        found[:] = [part.name for part in checked_functions._parts(left) if part.name]
        return left

    monkeypatch.setattr(Checking, "select", noted)
    return found


def test_what_no_kernel_reaches_is_left_out(known, names):
    expected = translate(HEADER + KERNEL).source("cuda")
    assert translate(HEADER + KERNEL, checked=known).source("cuda") == expected and len(names) == 7
    assert translate(HEADER + KERNEL, checked=known).source("cuda") == expected and names == ["used", "k"]
    other = "kernel void other(global int *out) { declared(out, twice(3)); }"
    assert translate(HEADER + other, checked=known).source("cuda") == translate(HEADER + other).source("cuda")
    assert names == ["declared", "used", "swapped", "twice", "twice", "declared", "other"]
    none = "kernel void none(global float *out) { out[0] = 1; }"
    assert translate(HEADER + none, checked=known).source("host") == translate(HEADER + none).source("host") and names == ["none"]


@pytest.mark.parametrize("function", [
    "kernel void unused(global int *out) { out[0] = 2; }", "void f(void) {\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n}",
    "int old(a) int a; { return a; }", "typeof(int) f(void) { return 1; }", "struct pair2 { int a; } f(void) { struct pair2 p = { 1 }; return p; }",
    "constant int2 both = (int2){1, 2};", "global int (variable);", "typedef void callee(int);", "int (*constant pointer) = 0;",
    "constant int list[] = {\n (1), 2 };", "#pragma OPENCL FP_CONTRACT OFF"])
def test_what_stays(known, names, function):
    """Kernels, pragmas, and what looks like nothing that is known here."""
    text = f"{HEADER}{function}\nint last(int x) {{ return x; }}\n{KERNEL}"
    options = parse_options("-cl-std=CL3.0")
    try:
        expected = translate(text, options).source("cuda")
    except CompileError as error:
        for _ in range(2):
            with pytest.raises(CompileError) as failure:
                translate(text, options, checked=known)
            assert str(failure.value) == str(error)
        return
    for _ in range(3):
        assert translate(text, options, checked=known).source("cuda") == expected


def test_every_function_is_noted_at_its_end(known, names):
    """Of a program that begins with the same text, however it goes on."""
    translate(HEADER + KERNEL, checked=known)
    translate(HEADER + "int more(int x) { return twice(x); }\n" + KERNEL, checked=known)
    assert names == ["used", "twice", "twice", "more", "k"]
    translate("int first(void) { return 1; }\n" + HEADER + KERNEL, checked=known)
    assert len(names) == 8


def test_errors_are_found(known):
    """In what is new, and in what has come to mean something else."""
    body = "void unused(T *p) { p->a = 1; }\n"
    translate("typedef struct { int a; } T;\n" + body + KERNEL.replace("used(2)", "1"), checked=known)
    for text in ["typedef int T;\n" + body, "typedef struct { int a; } T;\n" + body.replace("->a", "->b"),
                 "typedef struct { int a; } T;\n" + body + "void late(void) { unused(1, 2); }\n",
                 "typedef struct { int a; } T;\n" + body + body, "typedef struct { int a; } T;\nvoid unused(T *p) { p->a = 1;\n"]:
        text += KERNEL.replace("used(2)", "1")
        found = []
        for checked in (None, known):
            with pytest.raises(CompileError) as failure:
                translate(text, checked=checked)
            found.append(str(failure.value))
        assert found[0] == found[1]


@pytest.mark.parametrize("declaration", ["int later(int x);", "typedef int number; int later(number);", "int later(int), other(int);"])
def test_functions_that_call_what_comes_later_are_looked_at(known, names, declaration):
    """Another program may not have that, which is an error wherever it is called."""
    caller, rest = f"{declaration}\nint caller(int x) {{ return later(x); }}\n", KERNEL.replace("used(2)", "1")
    definition = "int later(int x) { return x; }\nint other(int x) { return x; }\n"
    for _ in range(2):
        translate(caller + definition + rest, checked=known)
        assert "caller" in names
        with pytest.raises(CompileError, match="undefined function 'later'"):
            translate(caller + rest, checked=known)
    objects = [compile_object(caller + rest, checked=known) for _ in range(2)]
    for compiled in objects:
        with pytest.raises(CompileError, match="later"):
            link([compiled], checked=known)


def test_programs_with_warnings_are_not_known(known, names):
    warned = "int unused(global int *p) { int number = p; return number; }\n" + KERNEL.replace("used(2)", "1")
    for _ in range(2):
        assert translate(warned, checked=known).diagnostics and names == ["unused", "k"]
    quiet = parse_options("-w")
    for expected in (["unused", "k"], ["k"]):
        assert not translate(warned, quiet, checked=known).diagnostics and names == expected
    assert translate(warned, checked=known).diagnostics


def test_options_and_macros(known, names):
    """Macros are what they make of the text; other options tell programs apart."""
    translate(HEADER + KERNEL, parse_options("-DUNSEEN=1"), checked=known)
    translate(HEADER + KERNEL, parse_options("-DUNSEEN=2 -I."), checked=known)
    assert names == ["used", "k"]
    translate(HEADER + KERNEL, parse_options("-Dused=renamed"), checked=known)
    assert len(names) == 7
    translate(HEADER + KERNEL, parse_options("-cl-std=CL2.0"), checked=known)
    assert len(names) == 7


def test_objects(known, names):
    """A compiled object is only looked at; what it is linked from is known then."""
    expected = link([compile_object(HEADER + KERNEL)]).source("cuda")
    compiled = compile_object(HEADER + KERNEL, checked=known)
    assert link([compiled], checked=known).source("cuda") == expected and names == ["used", "k"]
    compiled = compile_object(HEADER + KERNEL, checked=known)
    assert names == [] and link([compiled], checked=known).source("cuda") == expected
    # Another object may call what this one's kernels do not.
    caller = "int used(int x);\nkernel void second(global int *out) { out[1] = used(1); }"
    objects = [compile_object(text, checked=known) for text in (HEADER, caller)]
    assert link(objects, checked=known).source("cuda") == link(objects).source("cuda")


def test_programs_without_kernels_stay_whole(known):
    for _ in range(2):
        assert translate(HEADER, checked=known).source("cuda") == translate(HEADER).source("cuda")
        assert "swapped" in translate(HEADER + KERNEL, unreached=True, checked=known).source("cuda")


def test_short_programs_are_not_noted():
    known = CheckedFunctions()
    translate(HEADER + KERNEL, checked=known)
    assert known.to_bytes() == b"" and not known.has_grown


def test_what_is_kept(known, monkeypatch):
    """The newest ones, in bytes that the next process has them from."""
    translate(HEADER + KERNEL, checked=known)
    data = known.to_bytes()
    assert known.has_grown and len(data) == 7 * checked_functions.SIZE
    later = CheckedFunctions(lambda: data + b"rest")
    translate(HEADER + KERNEL, checked=later)
    assert not later.has_grown and later.to_bytes() == data
    monkeypatch.setattr(checked_functions, "MOST", 3)
    later.add([b"0123456789abcdef"])
    assert later.to_bytes() == data[-2 * checked_functions.SIZE :] + b"0123456789abcdef"
