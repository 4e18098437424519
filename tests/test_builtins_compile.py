"""Every overload of every built-in compiles, with the host's compiler and with NVRTC: many to a translation unit."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from cl2cuda.builtins.constants import constants
from cl2cuda.builtins.prelude import library, needs_general, prelude
from cl2cuda.builtins.table import Overload, names, overloads
from cl2cuda.builtins.typenames import ARITHMETIC, INTEGERS, WIDTHS, components, vector

VECTORS = [vector(element, n) for element in ARITHMETIC for n in WIDTHS]


# Sub-group functions of these are called with a sub-group's size, too: one type stands for the others of its size.
TOLD = ("void", "int", "float", "ulong", "uchar", "half", "uint4", "local named_barrier_t *")


def use(overload: Overload) -> tuple[str, ...]:
    return ("fn", overload.code, overload.result, *overload.parameters)


def cpp(type_: str) -> str:
    return re.sub(r"\b(global|local|private|constant|generic|read_only|write_only) ", "", type_.replace("read_write ", "read_write_"))


def call(number: int, overload: Overload) -> str:
    """A function of the user's that calls the overload."""
    parameters = ", ".join(f"{cpp(t)} a{i}" for i, t in enumerate(overload.parameters))
    arguments = ", ".join([f"a{i}" for i in range(len(overload.parameters))] + ["1", "2.0"] * overload.variadic)
    returns = "" if overload.result == "void" else "return "
    text = f"__device__ {cpp(overload.result)} f{number}({parameters}) {{ {returns}{overload.code}({arguments}); }}\n"
    if overload.of_sub_group and overload.result in TOLD:
        arguments = ", ".join([*filter(None, [arguments]), "sub_group_tile<8>{}"])
        text += f"__device__ {cpp(overload.result)} tile{number}({parameters}) {{ {returns}{overload.code}({arguments}); }}\n"
    return text


def unit(port: str, found: list[Overload], general: bool = False) -> str:
    """A program with a call of each; address spaces do not exist in C++, so overloads that differ in them alone are one."""
    distinct = {(o.code, tuple(map(cpp, o.parameters))): o for o in found}.values()
    body = "".join(call(i, o) for i, o in enumerate(distinct))
    uses = [use(o) for o in distinct] + [("type", word) for o in distinct for t in (o.result, *o.parameters) for word in cpp(t).split()]
    uses += [("type", "sub_group_tile")] if any(o.of_sub_group for o in found) else []
    head = prelude(port, uses, general_launch=general or needs_general(uses))  # type: ignore[arg-type]
    return f"{head}namespace ocl {{ namespace user {{\n{body}}} }}\n"


def sections() -> dict[str, list[Overload]]:
    found: dict[str, list[Overload]] = {}
    for name in names():
        for overload in overloads(name):
            found.setdefault(overload.row.section, []).append(overload)
    for name in ("shuffle", "shuffle2"):
        # One template serves all.
        found["6.15.13"] = found.get("6.15.13", []) + [o for o in overloads(name) if o.result in ("char4", "double16", "half2")]
    for element in ARITHMETIC:
        for n in (1, *WIDTHS):
            found.setdefault("6.4.4.2", []).extend(overloads(f"as_{vector(element, n)}"))
        for rounding in ("", "_rte", "_rtz", "_rtp", "_rtn"):
            for saturate in ("", "_sat"):
                # The vector forms are all made alike: one width stands for them.
                for n in (1, 4):
                    found.setdefault("6.4.3", []).extend(overloads(f"convert_{vector(element, n)}{saturate}{rounding}"))
    return found


SECTIONS = sections()


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
WITH_PTX = ("half", "cl_khr", "6.15.11", "6.15.12", "6.15.16", "6.15.17", "6.15.20")
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
