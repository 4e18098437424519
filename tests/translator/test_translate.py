"""What the translator prints and reports: each case is a .cl file that holds its own expectation.

tests/cases/translate/*.cl  end with the CUDA C++ expected, each line behind `//|`
tests/cases/errors/*.cl     end with the diagnostics expected, `severity:line:column: message`, each behind `//|`

A first line `// options: …` gives build options, `// without: …` an extension that the device does not offer.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from cl2cuda.translator import CompileError, Dialect, InternalError, Translation, parse_options, translate

CASES = Path(__file__).parents[1] / "cases"


def cases(folder: str):
    return [pytest.param(path, id=path.stem) for path in sorted((CASES / folder).glob("*.cl"))]


def split(path: Path) -> tuple[str, list[str]]:
    """A case's program and the lines of its expectation."""
    lines = path.read_text().splitlines()
    expected = [line[3:].removeprefix(" ") for line in lines if line.startswith("//|")]
    assert expected, f"{path} expects nothing"
    first = next(i for i, line in enumerate(lines) if line.startswith("//|")) - 1
    return "\n".join(lines[:first]), expected


def options_of(source: str):
    first = source.partition("\n")[0]
    return parse_options(first.removeprefix("// options:") if first.startswith("// options:") else "")


def dialect_of(source: str) -> Dialect | None:
    first = source.partition("\n")[0]
    if not first.startswith("// without: "):
        return None
    missing = first.removeprefix("// without: ")
    return dataclasses.replace(Dialect(), extensions=tuple(name for name in Dialect().extensions if name != missing))


@pytest.mark.parametrize("path", cases("translate"))
def test_translation_reads_as_expected(path):
    source, expected = split(path)
    translation = translate(source, options_of(source), filename=path.name, unreached=True)
    assert translation.user_source.rstrip("\n").split("\n") == expected


@pytest.mark.parametrize("path", cases("errors"))
def test_invalid_programs_are_told_why(path):
    source, expected = split(path)
    with pytest.raises(CompileError) as caught:
        translate(source, options_of(source), filename=path.name, dialect=dialect_of(source))
    found = [f"{d.severity}:{d.position.line}:{d.position.column}: {d.message}" for d in caught.value.diagnostics]
    assert found == expected
    assert all(d.position.file == path.name for d in caught.value.diagnostics)


def test_a_diagnostic_shows_the_source_line_and_a_caret():
    with pytest.raises(CompileError) as caught:
        translate("kernel void f(global int *x) {\n\tx[0] = nope;\n}\n", filename="f.cl")
    assert str(caught.value) == "f.cl:2:9: error: use of undeclared identifier 'nope'\n    \tx[0] = nope;\n    \t       ^"


def test_equal_input_gives_equal_bytes():
    source, _ = split(CASES / "translate" / "builtins.cl")
    first, second = translate(source), translate(source)
    assert first == second
    assert first.source("cuda") == second.source("cuda")


def test_a_translation_survives_json():
    source, _ = split(CASES / "translate" / "local_memory.cl")
    translation = translate(source)
    again = Translation.from_json(json.loads(json.dumps(translation.to_json())))
    assert again.kernels == translation.kernels
    assert again.source("host") == translation.source("host")


def test_line_directives_name_the_users_lines():
    source = "\n\nkernel void f(global int *x)\n{\n    int i = 0;\n\n    x[i] = 1;\n}\n"
    text = translate(source, filename="dir/f.cl").source("cuda")
    lines = text.splitlines()
    assert lines[lines.index('#line 3 "dir/f.cl"') + 1].startswith("__global__ void f(")
    assert lines[lines.index('#line 5 "dir/f.cl"') + 3].strip() == "x[i] = 1;"


def test_kernel_metadata():
    source = """
    typedef struct { float4 position; float mass; } body_t;
    kernel __attribute__((reqd_work_group_size(8, 4, 2))) __attribute__((vec_type_hint(float4)))
    void k(global const float *restrict in, constant int *table, local uchar *scratch, local float4 *more, body_t body, unsigned int n) {
        local int counts[10];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    kernel void plain(float3 v, global volatile uint *out) { out[0] = v.x; }
    """
    k, plain = translate(source).kernels
    assert (k.name, plain.name) == ("k", "plain")
    assert k.reqd_work_group_size == (8, 4, 2)
    assert k.attributes == "reqd_work_group_size(8,4,2) vec_type_hint(float4)"
    assert k.local_size == 40
    assert k.uses_barrier and not plain.uses_barrier
    shown = [(a.name, a.type_name, a.kind, a.size, a.address_qualifier, a.type_qualifiers, a.parameter) for a in k.args]
    assert shown == [
        ("in", "float*", "global", 8, "global", ("const", "restrict"), True),
        ("table", "int*", "constant", 8, "constant", ("const",), True),
        ("scratch", "uchar*", "local", 8, "local", (), False),
        ("more", "float4*", "local", 8, "local", (), True),
        ("body", "body_t", "value", 32, "private", (), True),
        ("n", "uint", "value", 4, "private", (), True),
    ]
    assert [(a.size, a.align) for a in plain.args] == [(16, 16), (8, 8)]
    assert plain.args[1].type_qualifiers == ("volatile",)


def test_definitions_and_include_folders(tmp_path):
    (tmp_path / "scale.h").write_text("#define SCALED(x) ((x) * SCALE)\n")
    options = parse_options(f"-I {tmp_path} -DSCALE=3 -D OFFSET")
    source = '#include "scale.h"\nkernel void f(global int *x) { x[0] = SCALED(x[0]) + OFFSET; }'
    assert "x[0] = x[0] * 3 + 1;" in translate(source, options).user_source


def test_single_precision_constants():
    source = "kernel void f(global float *x) { x[0] = 1.5 * x[0]; }"
    assert "1.5 * x[0]" in translate(source).user_source
    assert "1.5f * x[0]" in translate(source, parse_options("-cl-single-precision-constant")).user_source


def test_warnings_as_errors_and_no_warnings():
    source = "kernel void f(global int *x, int n) { x[0] = n / 0; }"
    assert [d.severity for d in translate(source).diagnostics] == ["warning"]
    assert translate(source, parse_options("-w")).diagnostics == ()
    with pytest.raises(CompileError, match="-Werror"):
        translate(source, parse_options("-Werror"))
    for both in ("-w -Werror", "-Werror -w"):
        assert translate(source, parse_options(both)).diagnostics == ()


def test_integer_literals_beyond_64_bits_are_warned_of():
    (warning,) = translate("kernel void f(global ulong *x) { x[0] = 0x10000000000000002; }").diagnostics
    assert (warning.severity, warning.position.column) == ("warning", 41) and "0x2 is kept" in warning.message


def test_deep_nesting_is_a_diagnostic():
    deep = "kernel void f(global int *x) { x[0] = " + "(" * 20000 + "1" + ")" * 20000 + "; }"
    with pytest.raises(CompileError):
        translate(deep)


def test_long_chains_translate():
    source = "kernel void f(global int *x, int n) { x[0] = " + " + ".join(["n"] * 5000) + "; }"
    assert translate(source).kernels[0].name == "f"


def test_a_bug_of_ours_asks_for_a_report(monkeypatch):
    monkeypatch.setattr("cl2cuda.translator.opencl_c.analyse.analyse", lambda *_: {}["gone"])
    with pytest.raises(InternalError, match="please report it"):
        translate("kernel void f(global int *x) { }")
