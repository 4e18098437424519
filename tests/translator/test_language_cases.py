"""Every sentence of OpenCL C 6.3 to 6.14 that makes a program valid or invalid, as a small case (see language_cases).

Invalid ones are refused where and why they say; valid ones compute the values they say on every real device. Kernels are
built many at a time, one by one only where they cannot live in one program.
"""

from __future__ import annotations

import contextlib
import functools
import re
from pathlib import Path

import numpy as np
import pytest
from pycparser import c_ast
from support.language_cases import Case, load

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.cuda.program import CudaProgram
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import BuildFailure, DriverMissing
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.translator import CompileError, Dialect, parse_options, translate
from cl2cuda.translator.diagnostics import Diagnostics
from cl2cuda.translator.opencl_c.parse.parse import parse
from cl2cuda.translator.opencl_c.preprocess.preprocess import preprocess

CASES = load()
BATCH = 20
DTYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "float": "f4", "double": "f8", "half": "f2",
}  # fmt: skip


def params(cases: list[Case], strict: bool = True):
    marked = [(case, [pytest.mark.xfail(reason=case.xfail, strict=strict)] if case.xfail else []) for case in cases]
    return [pytest.param(case, id=case.id, marks=marks) for case, marks in marked]


# -- verdicts --------------------------------------------------------------------------------------------------------


# A case that runs may translate and yet compute something else: its values are what must fail while it is marked so.
@pytest.mark.parametrize("case", params([c for c in CASES if c.error is None and not c.runs]) + params([c for c in CASES if c.runs], False))
def test_valid(case: Case):
    translation = translate(case.source, parse_options(case.options), filename=case.path.name, dialect=case.dialect)
    assert case.path.stem in [kernel.name for kernel in translation.kernels]


@pytest.mark.parametrize("case", params([case for case in CASES if case.error is not None]))
def test_invalid(case: Case):
    assert case.error is not None
    with pytest.raises(CompileError) as caught:
        translate(case.source, parse_options(case.options), filename=case.path.name, dialect=case.dialect)
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert [d.position.line for d in errors] == [case.line], str(caught.value)
    assert case.error in errors[0].message


def test_there_is_a_case_for_every_section():
    sections = {case.path.parent.name for case in CASES}
    assert len(CASES) >= 600
    assert {section.split(".")[1] for section in sections} == {str(n) for n in range(3, 15)}


# -- values ----------------------------------------------------------------------------------------------------------


def file_scope_names(case: Case) -> set[str]:
    """What the case declares at program scope."""
    options = parse_options(case.options)
    diagnostics, dialect = Diagnostics(), Dialect.of(options)
    pre = preprocess(case.source, filename="", options=options, dialect=dialect, headers={}, diagnostics=diagnostics)
    tree = parse(pre, diagnostics, dialect)
    names = {getattr(node, "decl", node).name for node in tree.ext if isinstance(node, (c_ast.Decl, c_ast.Typedef, c_ast.FuncDef))}
    stack: list[c_ast.Node] = list(tree.ext)
    while stack:
        node = stack.pop()
        if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum, c_ast.Enumerator)):
            names.add(node.name)
        stack += [child for _, child in node.children()]
    return {name for name in names if name}


@functools.cache
def batches() -> dict[str, list[Case]]:
    """For each case by its id those that share a program with it: no name of one means something in another."""
    found: dict[str, list[Case]] = {}
    open_batches: dict[str, tuple[list[Case], set[str], set[str]]] = {}
    for case in CASES:
        if not case.runs or case.xfail:
            continue
        if "#" in case.source or "__LINE__" in case.source:
            found[case.id] = [case]
            continue
        declared, used = file_scope_names(case), set(re.findall(r"[A-Za-z_]\w*", re.sub(r"//.*", "", case.source)))
        batch, all_declared, all_used = open_batches.get(case.options, ([], set(), set()))
        if len(batch) >= BATCH or declared & all_used or used & all_declared:
            batch, all_declared, all_used = [], set(), set()
        batch.append(case)
        open_batches[case.options] = (batch, all_declared | declared, all_used | used)
        found[case.id] = batch
    return found


class Built:
    """The programs built on one device, by their cases."""

    def __init__(self, device: Device):
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)
        self.programs: dict[str, Program] = {}

    def program(self, case: Case) -> Program:
        batch = batches().get(case.id, [case])
        if case.id not in self.programs and len(batch) > 1:
            with contextlib.suppress(CLError):  # the one at fault shows when it is built alone
                self._build(batch)
        if case.id not in self.programs:
            self._build([case])
        return self.programs[case.id]

    def _build(self, batch: list[Case]) -> None:
        program = Program(self.context, "\n".join(case.source for case in batch))
        program.build(batch[0].options)
        self.programs |= {case.id: program for case in batch}


_BUILT: dict[Device, Built] = {}


def numbers(text: str) -> list[int | float]:
    return [float(word) if "." in word or word in ("inf", "-inf", "nan") else int(word, 0) for word in text.split()]


def run(built: Built, case: Case) -> list:
    """What the case's `out` begins with afterwards."""
    assert case.result is not None
    kernel = Kernel(built.program(case), case.path.stem)
    inputs = iter(case.inputs)
    out: tuple[Buffer, np.ndarray] | None = None
    for index, arg in enumerate(kernel.info.args):
        dtype = np.dtype(DTYPES.get(re.sub(r"\d*\*?$", "", arg.type_name), "i4"))
        if arg.kind == "local":
            kernel.set_arg(index, LocalMemory(1024))
            continue
        array = np.zeros(64, dtype) if out is None else np.array(numbers(next(inputs)), dtype)
        if arg.kind == "value":
            kernel.set_arg(index, array.tobytes())
            continue
        buffer = Buffer(built.context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, array.nbytes, array)
        out = out or (buffer, array)
        kernel.set_arg(index, buffer)
    assert out is not None
    enqueue_nd_range_kernel(built.queue, kernel, 1, None, (case.size,), (case.size,))
    buffer_commands.enqueue_read_buffer(built.queue, out[0], True, 0, out[1])
    return out[1][: len(case.result.split())].tolist()


@pytest.mark.parametrize("case", params([case for case in CASES if case.runs]))
def test_values(real_device: Device, case: Case):
    assert case.result is not None
    built = _BUILT.setdefault(real_device, Built(real_device))
    assert run(built, case) == numbers(case.result)


# -- CUDA ------------------------------------------------------------------------------------------------------------


@functools.cache
def refusal(paths: tuple[Path, ...], options: str) -> str:
    """What NVRTC has against the translation of these cases as one program."""
    parsed = parse_options(options)
    compiler = nvrtc.nvrtc()
    try:
        translation = translate("\n".join(path.read_text() for path in paths), parsed)
        CudaProgram.compile(translation, "sm_90", flags(parsed, compiler.version), compiler)
    except (CompileError, BuildFailure) as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize("case", params([case for case in CASES if case.runs and not case.xfail]))
def test_nvrtc_compiles(case: Case):
    """Without a GPU, where NVRTC is installed."""
    try:
        nvrtc.nvrtc()
    except DriverMissing as missing:
        pytest.skip(str(missing))
    together = tuple(each.path for each in batches()[case.id])
    assert not refusal(together, case.options) or not refusal((case.path,), case.options), refusal((case.path,), case.options)
