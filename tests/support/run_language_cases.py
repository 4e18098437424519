"""Runs the language's cases (language_cases), many in one program: only those that cannot live together are built one by one."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable

import numpy as np
from pycparser import c_ast

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.kernel.kernel import Kernel, LocalMemory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.translator import Dialect, parse_options
from cl2cuda.translator.diagnostics import Diagnostics
from cl2cuda.translator.ir.kernel_info import KernelInfo
from cl2cuda.translator.opencl_c.parse.parse import parse
from cl2cuda.translator.opencl_c.preprocess.preprocess import preprocess

from .language_cases import Case, load
from .spirv_modules import Refused

CASES = load()
EXTENSION_CASES = load("extensions/*.cl")
BATCH = 20
DTYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "float": "f4", "double": "f8", "half": "f2",
}  # fmt: skip


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
    return _batches(CASES) | _batches(EXTENSION_CASES)


def _batches(cases: list[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    open_batches: dict[str, tuple[list[Case], set[str], set[str]]] = {}
    for case in cases:
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


def built_from_source(context: Context, batch: list[Case]) -> Program:
    program = Program(context, "\n".join(case.source for case in batch))
    program.build(batch[0].options)
    return program


class Built:
    """The programs built on one device, by their cases; `build` makes one program of several."""

    def __init__(self, device: Device, build: Callable[[Context, list[Case]], Program] = built_from_source):
        self.context = Context([device])
        self.build = build
        self.queue = CommandQueue(self.context, device)
        self.programs: dict[str, Program] = {}

    def program(self, case: Case) -> Program:
        batch = batches().get(case.id, [case])
        if case.id not in self.programs and len(batch) > 1:
            with contextlib.suppress(CLError, Refused):  # the one at fault shows when it is built alone
                self._build(batch)
        if case.id not in self.programs:
            self._build([case])
        return self.programs[case.id]

    def _build(self, batch: list[Case]) -> None:
        program = self.build(self.context, batch)
        self.programs |= {case.id: program for case in batch}


def numbers(text: str) -> list[int | float]:
    return [float(word) if "." in word or word in ("inf", "-inf", "nan") else int(word, 0) for word in text.split()]


def run(built: Built, case: Case, info: KernelInfo | None = None) -> list:
    """What the case's `out` begins with afterwards. `info` has the arguments' types, where the program's own lacks them."""
    assert case.result is not None
    kernel = Kernel(built.program(case), case.path.stem)
    inputs = iter(case.inputs)
    out: tuple[Buffer, np.ndarray] | None = None
    for index, arg in enumerate((info or kernel.info).args):
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
