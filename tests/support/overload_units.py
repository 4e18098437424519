"""Programs that call every overload of a section of the signature table, one function each."""

from __future__ import annotations

import re

from cl2cuda.builtins.prelude import needs_general, prelude
from cl2cuda.builtins.table import Overload, names, overloads
from cl2cuda.builtins.typenames import ARITHMETIC, WIDTHS, vector

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
    forms = {"f": overload.code, "p": overload.parameter_code} if overload.parameter_code != overload.code else {"f": overload.code}
    text = "".join(f"__device__ {cpp(overload.result)} {form}{number}({parameters}) {{ {returns}{code}({arguments}); }}\n"
                   for form, code in forms.items())
    if overload.of_sub_group and overload.result in TOLD:
        arguments = ", ".join([*filter(None, [arguments]), "sub_group_tile<8>{}"])
        text += f"__device__ {cpp(overload.result)} tile{number}({parameters}) {{ {returns}{overload.code}({arguments}); }}\n"
    return text


def unit(port: str, found: list[Overload], general: bool = False) -> str:
    """A program with a call of each; address spaces do not exist in C++, so overloads that differ in them alone are one."""
    distinct = {(o.code, o.parameter_code, tuple(map(cpp, o.parameters))): o for o in found}.values()
    body = "".join(call(i, o) for i, o in enumerate(distinct))
    uses = [use(o) for o in distinct] + [("fn", o.parameter_code, o.result, *o.parameters) for o in distinct] + [("type", word) for o in distinct for t in (o.result, *o.parameters) for word in cpp(t).split()]
    uses += [("type", "sub_group_tile")] if any(o.of_sub_group for o in found) else []
    head = prelude(port, uses, variant="general" if general or needs_general(uses) else "plain")  # type: ignore[arg-type]
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
