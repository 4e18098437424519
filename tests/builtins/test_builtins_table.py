"""The signature table, the library's code and the prelude agree."""

from __future__ import annotations

import math
import re

import pytest

from cl2cuda.builtins.any_type_rows import ANY_TYPE_ROWS
from cl2cuda.builtins.bounds import bound
from cl2cuda.builtins.constants import constants
from cl2cuda.builtins.items import references
from cl2cuda.builtins.opaque import OPAQUE, in_library
from cl2cuda.builtins.operators import NoSuchOperator
from cl2cuda.builtins.prelude import VARIANTS, Library, UnknownUse, _Closure, library, needs_general, prelude
from cl2cuda.builtins.rows import ROWS
from cl2cuda.builtins.table import names, overloads
from cl2cuda.builtins.typenames import ARITHMETIC, WIDTHS, vector

LIBRARIES = [*(("cuda", variant) for variant in VARIANTS), ("host", "plain")]
# What a program uses without a function's name: uses of their own, and what the launching code reads.
PRIMITIVES = [("index", "float4"), ("local_memory",), ("type", "half"), ("splat", "int2"), ("join", "int2", "int,int")]
PRIMITIVES += [("vec", str(n)) for n in WIDTHS]


def uses_of_all(found: Library) -> list[tuple[str, ...]]:
    """One use for each overload that this library has code for."""
    half_operators = ("+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">=", "&&", "||")
    uses = [("op", symbol, "half", "half") for symbol in half_operators] + [("op", symbol, "half") for symbol in "+-!"]
    uses += [*PRIMITIVES, *(("item", name) for name in (
        "add_carry", "add_overflow", "aligned", "assume", "assume_work_group_size", "begin_enqueuing", "begin_named_barriers", "copy_bytes",
        "divide_to_nearest", "fetch_nand", "fill_bytes", "immediate", "move_bytes", "mul_overflow", "nand_fetch", "packed_at", "post_step", "printf_vectors",
        "reciprocal_to_nearest", "sub_carry", "sub_overflow", "trap", "type_identity", "with_array", "zero_local_memory")),
             *(("volatile", name) for name in (
                 "load_volatile", "store_volatile", "load_volatile_object", "store_volatile_object", "nonvolatile", "as_volatile"))]
    uses += [("type", name) for name in OPAQUE if in_library(name)]
    for name in (*names(), "shuffle", "shuffle2"):
        uses += [("fn", code, o.result, *o.parameters) for o in overloads(name) for code in {o.code, o.parameter_code}]
        uses += [("fn", o.aligned_code, o.result, "bool", *o.parameters) for o in overloads(name) if o.aligned_code]
    uses += [("item", name) for name in ANY_TYPE_ROWS if name != "vec_step"]  # which is an operator
    for to in (*ARITHMETIC, "half"):
        for suffix in ("", "_rte", "_rtz", "_rtp", "_rtn", "_sat", "_sat_rte", "_sat_rtz", "_sat_rtp", "_sat_rtn"):
            uses += [("fn", o.code, o.result, *o.parameters) for o in overloads(f"convert_{to}{suffix}")]
    # What kernels are made of that run a whole work-group (translator/emit/item_loops), and loops that wait: the host's alone; and what
    # CUDA's optimiser is told.
    uses += [("item", name) for name in (
        "stays_conditional", "aligned_item", "at_item", "for_each_item", "for_each_item_id", "give_way", "give_way_at_times", "group_items", "is_past_range",
        "item_array", "item_flags", "item_id", "unaliased")
        if name in found.library]
    return [use for use in uses if use[1:2] != ("get_work_dim",) or "get_work_dim" in found.library]


def test_a_signature_expands_to_its_overloads() -> None:
    assert {(o.result, o.parameters) for o in overloads("ldexp") if "float" in o.result} == {
        (vector("float", n), (vector("float", n), k)) for n in (1, *WIDTHS) for k in {"int", vector("int", n)}
    }
    assert [o.parameters for o in overloads("atomic_xchg") if o.result == "float"] == [
        ("volatile global float *", "float"),
        ("volatile local float *", "float"),
    ]
    loads = [o.parameters[1] for o in overloads("vload3") if o.result == "uchar3"]
    assert loads == [f"const {space} uchar *" for space in ("global", "local", "constant", "private", "generic")]
    assert {o.row.since for o in overloads("fract") if "generic" in o.parameters[1]} == {200}
    assert [(o.parameters, o.variadic) for o in overloads("printf")] == [(("constant char *",), True)]
    assert ("ulong2", ("long2",)) in {(o.result, o.parameters) for o in overloads("abs")}


def test_patterns_are_overloads_too() -> None:
    four_bytes = ("char3", "uchar3", "char4", "uchar4", "short2", "ushort2", "int", "uint", "float")
    assert {o.parameters for o in overloads("as_float") if not o.row.requires} == {(t,) for t in four_bytes}
    assert {o.parameters for o in overloads("as_float") if o.row.requires == "cl_khr_fp16"} == {("half2",)}
    converted = overloads("convert_uchar4_sat_rte")
    assert [o.parameters[0] for o in converted] == [vector(t, 4) for t in (*ARITHMETIC, "half")]
    assert {o.row.requires for o in overloads("convert_half2_rtp")} == {"cl_khr_fp16"} == {converted[-1].row.requires}
    for name in ("convert_float_sat", "convert_half_sat", "convert_bool", "as_bool", "as_", "convert_int5", "no_such_function"):
        assert overloads(name) == (), name


@pytest.mark.parametrize("name", names())
def test_no_two_overloads_take_the_same(name: str) -> None:
    found = [o.parameters for o in overloads(name)]
    assert found and len(found) == len(set(found))


@pytest.mark.parametrize(("port", "variant"), LIBRARIES)
def test_every_row_has_code_and_all_code_is_reached(port: str, variant: str) -> None:
    found = library(port, variant)  # type: ignore[arg-type]
    if "get_global_id" not in found.library:
        pytest.skip("this port's work-item functions are not there")
    # What the formulas of images are made of is CUDA's general variant's alone.
    variants = [found] if port == "host" else [library("cuda", each) for each in VARIANTS]
    reached = {item.names[0] for each in variants for item in _Closure(each, uses_of_all(each)).needs}
    unreached = {item.names[0] for group in (found.library, found.outer) for items in group.values() for item in items} - reached
    assert not unreached


# 7.4: what tables 65, 68 and 69 leave without a number, for float, double and half.
WITHOUT_A_NUMBER = {
    "lgamma": ["undefined"] * 3,
    "lgamma_r": ["undefined"] * 3,
    "mad": ["fused or not", "any", "any"],
    "mix": ["", "implementation-defined", "implementation-defined"],
    "smoothstep": ["", "implementation-defined", "implementation-defined"],
}


@pytest.mark.parametrize("section", ["6.15.2", "6.15.4", "6.15.5"])
def test_each_row_has_the_bound_of_the_specification_or_its_reason(section: str) -> None:
    for row in ROWS:
        if row.section != section:
            continue
        elements = row.gentypes or ("float", "double", "half")
        bounds = [row.bound(element) for element in elements]
        assert None not in bounds, f"no bound for {row.signature}"
        reasons = [each.text if each and each.kind == "none" else "" for each in bounds]
        if row.name.startswith("native_"):
            assert reasons == ["implementation-defined"]
        else:
            assert reasons == WITHOUT_A_NUMBER.get(row.name, [""] * len(reasons)), row.signature


def test_bounds_are_numbers() -> None:
    assert bound("4").at() == 4 and bound("2.5+2n").at(3) == 8.5 and bound("2n").at(3) == 6 and bound("2n-1").at(4) == 7
    assert bound("0.25+0.5n").at(2) == 1.25 and bound("5.5+n").at(2) == 7.5 and bound("2n-1 max^2").kind == "squares"
    assert bound("any").at() == math.inf
    sine, logarithm, exponential = bound("2^-11 absolute in -pi..pi"), bound("3, 2^-21 absolute in 0.5..2"), bound("3+2x")
    assert (sine.kind, sine.constant, sine.domain) == ("absolute", 2.0**-11, (-math.pi, math.pi)) and sine.elsewhere is None
    assert (logarithm.constant, logarithm.domain, logarithm.elsewhere) == (2.0**-21, (0.5, 2), 3)
    assert (exponential.kind, exponential.constant, exponential.slope) == ("ulp", 3, 2)


def test_bounds_of_the_unsafe_options_are_those_of_table_67() -> None:
    relaxed = {row.name for row in ROWS if row.relaxed}
    assert relaxed == set(TABLE_67.split())
    assert all(row.relaxed.kind != "none" for row in ROWS if row.relaxed)


TABLE_67 = """
acos acosh acospi asin asinh asinpi atan atanh atanpi atan2 atan2pi cbrt cos cosh cospi exp exp2 exp10 expm1 log log2 log10 log1p pow
pown powr rootn sin sincos sinh sinpi tan tanh tanpi
"""


def test_half_goes_through_float_unless_it_is_written() -> None:
    text = prelude("cuda", [("fn", "modf", "half2", "half2", "private half2 *")])
    assert "half modf(half a, half* b) { float b_; float r = modf(float_of(a), &b_); *b = half_rte(b_); return half_rte(r); }" in text
    text = prelude("cuda", [("fn", "length", "half", "half3")])
    assert "half length(half3 a) { return half_rte(length(float3{float_of(a.x), float_of(a.y), float_of(a.z)})); }" in text
    text = prelude("cuda", [("fn", "max", "half", "half", "half"), ("fn", "fabs", "half", "half")])
    assert "half max(half a, half b) { return half_rte(max(float_of(a), float_of(b))); }" in text and "T max(T x" not in text
    assert "half fabs(half x) { return {ushort(x.bits & 0x7fff)}; }" in text


def test_prelude_holds_exactly_what_is_used() -> None:
    text = prelude("cuda", [("fn", "sin", "float4", "float4")])
    assert re.findall(r"__device__ \w+ (\w+\(\w+)", text) == ["sin(float", "sin(float4"]
    assert "double" not in text and "vec<T, 8>" not in text and "//" not in text
    assert prelude("cuda", []) == ""


def test_prelude_does_not_depend_on_the_order_of_uses() -> None:
    uses = [("fn", "cross", "float3", "float3", "float3"), ("get", "float4", "xy"), ("op", "+", "int2", "int2"), ("const", "NAN")]
    uses.append(("set", "float4", "zw"))
    for comments in (False, True):
        assert prelude("host", uses, comments=comments) == prelude("host", reversed(uses), comments=comments)


def test_comments_are_kept_for_a_person() -> None:
    text = prelude("cuda", [("fn", "pown", "float", "float", "int")], comments=True)
    assert "// An exponent that float cannot hold" in text


def test_only_a_work_dimension_needs_the_general_launch() -> None:
    assert needs_general([("fn", "get_work_dim", "uint")])
    assert not needs_general([("fn", "get_global_id", "size_t", "uint"), ("fn", "get_global_offset", "size_t", "uint")])
    with pytest.raises(UnknownUse):
        prelude("cuda", [("fn", "get_work_dim", "uint")])
    assert "launch.work_dim" in prelude("cuda", [("fn", "get_work_dim", "uint")], variant="general")
    assert "ocl_launch launch" in prelude("cuda", [], variant="general")


def test_what_does_not_exist_is_an_error() -> None:
    for use in (("fn", "sin", "int", "int"), ("const", "NO_SUCH"), ("nonsense",)):
        with pytest.raises(UnknownUse):
            prelude("cuda", [use])
    for use in (("op", "%", "float4", "float4"), ("op", "+", "float", "float"), ("op", "?", "int4", "int4")):
        with pytest.raises(NoSuchOperator):
            prelude("cuda", [use])


def test_swizzles_name_components() -> None:
    text = prelude("cuda", [("get", "float4", "xy"), ("set", "int16", "s0f"), ("get", "char3", "hi"), ("get", "short8", "odd")])
    assert "vec<T, 2> xy() const { return {x, y}; }" in text
    assert "vec<T, 2> set_s0f(vec<T, 2> r) { s0 = r.x; sf = r.y; return r; }" in text
    assert "vec<T, 2> hi() const { return {z}; }" in text
    assert "vec<T, 4> odd() const { return {s1, s3, s5, s7}; }" in text


def test_references_are_what_the_code_names() -> None:
    found = references('a.sin + b->cos + ::tan(x) - vec<uint, 4>{} + 0x1p-3f; // exp\n "log"')
    assert {"::tan", "vec", "vec<4>", "uint", "x"} <= found
    assert not {"sin", "cos", "exp", "log", "tan"} & found


def test_integer_constants_have_values_for_the_preprocessor() -> None:
    for name, constant in constants.items():
        if constant.type in ("int", "uint", "long", "ulong"):
            value = re.sub(r"(?<=[0-9a-f])[uUL]+", "", constant.value)
            assert eval(value) == constant.integer, name
        else:
            assert constant.integer is None, name


@pytest.mark.parametrize(("port", "variant"), LIBRARIES)
def test_a_function_mentions_what_stands_beside_its_own_name(port, variant):
    for item in library(port, variant).items:
        if item.parameters is not None and not item.known:
            rest = re.sub(rf"(?<!::)\b{re.escape(item.names[0])}(?!\w)", " ", item.text, count=1)
            assert item.references == references(rest), item.names
