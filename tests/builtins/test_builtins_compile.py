"""Every overload of every built-in compiles, with the host's compiler and with NVRTC: many to a translation unit."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from support.overload_units import SECTIONS, unit

from cl2cuda.builtins.constants import constants
from cl2cuda.builtins.prelude import library, prelude
from cl2cuda.builtins.typenames import ARITHMETIC, INTEGERS, WIDTHS, components, vector

VECTORS = [vector(element, n) for element in ARITHMETIC for n in WIDTHS]



def operators_unit(port: str) -> str:
    uses: list[tuple[str, ...]] = []
    for v in VECTORS:
        element = v.rstrip("0123456789")
        integer = element in INTEGERS
        binary = ["+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">=", "&&", "||"] + ["%", "&", "|", "^", "<<", ">>"] * integer
        uses += [("op", s, v, t) for s in binary for t in (v, element)]
        uses += [("op", s, element, v) for s in binary if s not in ("<<", ">>")]
        uses += [("op", s + "=", v, t) for s in binary if s not in ("==", "!=", "<", ">", "<=", ">=", "&&", "||") for t in (v, element)]
        uses += [("op", s, v) for s in ["-", "+", "!", "++", "--", "p++", "p--"] + ["~"] * integer]
        uses += [("splat", v), ("join", v, ",".join([element] * len(components(int(v.removeprefix(element))))))]
    text = prelude(port, uses)  # type: ignore[arg-type]
    # Nothing else may be in it: each operator is one line.
    assert text.count("operator") >= len([u for u in uses if u[0] == "op"])
    return text


def swizzles_unit(port: str) -> str:
    uses: list[tuple[str, ...]] = [("index", "float4")]
    body = ""
    for n in WIDTHS:
        v = f"float{n}"
        digits = [f"{i:x}" for i in range(n)]
        swizzles = ["xy", "yx"] if n <= 4 else [f"s{''.join(reversed(digits))}", "s01", "s73"]
        for name in ["lo", "hi", "even", "odd"] * (n > 2) + swizzles:
            uses += [("get", v, name), ("set", v, name)]
            body += f"__device__ void {name}{n}({v}& a) {{ auto r = a.{name}(); a.set_{name}(r); at(a, 1) = 2; }}\n"
    return prelude(port, uses) + f"namespace ocl {{ namespace user {{\n{body}}} }}\n"  # type: ignore[arg-type]


def half_unit(port: str) -> str:
    """The functions of one half: their code differs by architecture."""
    return unit(port, [o for found in SECTIONS.values() for o in found if "half" in o.parameters and o.row.section.startswith("6.15.")])


def constants_unit(port: str) -> str:
    body = "".join(f"__device__ {c.type} get_{name}() {{ return {name}; }}\n" for name, c in constants.items())
    return prelude(port, [("const", name) for name in constants]) + f"namespace ocl {{ namespace user {{\n{body}}} }}\n"  # type: ignore[arg-type]


# Sections whose code differs by architecture, or is made of inline PTX.
ARCHITECTURES = ("sm_75", "sm_90", "sm_120")
WITH_PTX = ("half", "cl_khr", "6.15.11", "6.15.12", "6.15.16", "6.15.17", "6.15.20", "cl_intel_subgroup_matrix")
OTHERS = {"operators": operators_unit, "swizzles": swizzles_unit, "constants": constants_unit, "half": half_unit}


def units(port: str) -> dict[str, str]:
    found = {section: unit(port, o) for section, o in SECTIONS.items()}
    return found | {name: make(port) for name, make in OTHERS.items()}


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("name", [*SECTIONS, *OTHERS])
def test_compiles_for_the_host(name: str) -> None:
    if name in SECTIONS and any(o.code not in library("host").library and o.row.kind == "written" for o in SECTIONS[name]):
        pytest.skip("the host's work-item functions are not there")
    source = OTHERS[name]("host") if name in OTHERS else unit("host", SECTIONS[name])
    flags = [
        "-std=c++20",
        "-fsyntax-only",
        "-Wall",
        "-Wno-narrowing",
        "-Wno-attributes",
        "-Wno-unused-function",
        "-Wno-unused-variable",
        "-Werror",
    ]
    done = subprocess.run(["g++", *flags, "-x", "c++", "-"], input=source, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


@pytest.mark.parametrize("name", [*SECTIONS, *OTHERS])
def test_compiles_for_cuda(name: str) -> None:
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    try:
        nvrtc.getVersion()
    except RuntimeError as e:
        pytest.skip(f"NVRTC cannot be loaded: {e}")
    if name == "6.15.11" and nvrtc.getVersion() < (13, 1):
        pytest.xfail("NVRTC 13.0 makes invalid code of __isShared(pointer to struct) in functions that it does not inline")
    source = OTHERS[name]("cuda") if name in OTHERS else unit("cuda", SECTIONS[name])
    # -Ofc=max: how good the code is does not matter here, and it takes an eighth of the time.
    flags = ("--minimal", "--std=c++20", "--prec-div=false", "--prec-sqrt=false", "-w", *(("-Ofc=max",) if nvrtc.getVersion() >= (12, 9) else ()))
    for architecture in ARCHITECTURES if name.startswith(WITH_PTX) else ("sm_90",):
        program = nvrtc.createProgram(source, "unit.cu", (), ())
        try:
            # Relocatable code keeps functions that no kernel calls, so that ptxas reads their PTX.
            nvrtc.compileProgram(program, (*flags, f"-arch={architecture}", "-rdc=true"))
        except nvrtc.NVRTCError:
            pytest.fail(f"{architecture}: {nvrtc.getProgramLog(program)[:4000]}")
        finally:
            nvrtc.destroyProgram(program)
