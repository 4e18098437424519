"""OpSpecConstantOp with every instruction on numbers that the specification (section 3.49.7) allows it in kernels: as scalars and vectors,
in a kernel and as what a variable of program scope begins with, with the constants' own values and with those that the host sets."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
import pytest
from support.cuda_programs import compile_for_cuda
from support.spirv_assembler import assemble
from support.spirv_cases import whole

from cl2cuda.runtime.commands import buffer as buffer_commands
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.cuda.options import flags
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import parse_options, translate_il

FORMATS = {"bool": "?", "uchar": "B", "ushort": "H", "uint": "I", "ulong": "Q", "half": "e", "float": "f", "double": "d"}
# Instruction, its result's type, its operands', and for two components the operands and the result.
ROWS = """
SConvert   ulong  uchar          0x85 0xffffffffffffff85      7 7
UConvert   ulong  uchar          0x85 0x85                    7 7
FConvert   half   double         1.0009 1.0009765625          1e6 inf
FConvert   double half           -2.5 -2.5                    0.125 0.125
SNegate    ushort ushort         1 0xffff                     0x8000 0x8000
Not        uchar  uchar          0x0f 0xf0                    0 255
IAdd       uint   uint,uint      0xffffffff 3 2               7 8 15
ISub       uchar  uchar,uchar    3 5 254                      9 2 7
IMul       ulong  ulong,ulong    0x8000000000000001 2 2       3 5 15
UDiv       uint   uint,uint      0xfffffff9 2 0x7ffffffc      7 2 3
SDiv       uint   uint,uint      0xfffffff9 2 0xfffffffd      7 2 3
UMod       uchar  uchar,uchar    200 7 4                      7 2 1
SRem       uchar  uchar,uchar    200 7 0                      0xf9 2 0xff
SMod       uint   uint,uint      0xfffffff9 3 2               7 0xfffffffd 0xfffffffe
ShiftRightLogical    ushort ushort,uint   0x8000 15 1         0x1234 4 0x123
ShiftRightArithmetic ushort ushort,uint   0x8000 15 0xffff    0x1234 4 0x123
ShiftLeftLogical     ulong  ulong,uchar   1 63 0x8000000000000000  3 4 48
BitwiseOr  uint   uint,uint      5 2 7                        0 8 8
BitwiseXor uint   uint,uint      5 7 2                        8 8 0
BitwiseAnd uint   uint,uint      5 6 4                        8 7 0
LogicalOr  bool   bool,bool      0 1 1                        0 0 0
LogicalAnd bool   bool,bool      1 1 1                        1 0 0
LogicalNot bool   bool           0 1                          1 0
LogicalEqual    bool bool,bool   0 0 1                        1 0 0
LogicalNotEqual bool bool,bool   1 0 1                        1 1 0
Select     float  bool,float,float 1 2.5 3.5 2.5              0 2.5 3.5 3.5
IEqual     bool   ulong,ulong    0x100000000 0 0              9 9 1
INotEqual  bool   ulong,ulong    0x100000000 0 1              9 9 0
ULessThan  bool   uchar,uchar    1 0xff 1                     1 1 0
SLessThan  bool   uchar,uchar    1 0xff 0                     0xfe 0xff 1
UGreaterThan bool uint,uint      0xffffffff 1 1               1 1 0
SGreaterThan bool uint,uint      0xffffffff 1 0               2 1 1
ULessThanEqual bool ushort,ushort 1 0xffff 1                  2 1 0
SLessThanEqual bool ushort,ushort 1 0xffff 0                  1 1 1
UGreaterThanEqual bool uint,uint 0xffffffff 1 1               0 1 0
SGreaterThanEqual bool uint,uint 0xffffffff 1 0               1 1 1
ConvertFToS uint  float          -2.75 0xfffffffe             3.5 3
ConvertFToU uchar double         255.9 255                    0.5 0
ConvertSToF float ulong          0xffffffffffffffff -1        5 5
ConvertUToF float ulong          0x8000008000000001 9223373136366403584  5 5
Bitcast    uint   float          -1 0xbf800000                0 0
FNegate    half   half           1.5 -1.5                     -2 2
FAdd       half   half,half      2048 1 2048                  1.5 0.25 1.75
FSub       float  float,float    1 16777217 -16777215         2 2 0
FMul       double double,double  1.5 -3 -4.5                  0.5 8 4
FDiv       float  float,float    1 3 0.3333333432674408       -1 0 -inf
FRem       float  float,float    -5.5 2 -1.5                  5.5 -2 1.5
FMod       float  float,float    -5.5 2 0.5                   5.5 -2 -0.5
"""
# The specification's list for the Kernel capability, without those on addresses, and those on parts, which have a test of their own.
ALLOWED = """SConvert UConvert FConvert SNegate Not IAdd ISub IMul UDiv SDiv UMod SRem SMod ShiftRightLogical ShiftRightArithmetic
    ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd LogicalOr LogicalAnd LogicalNot LogicalEqual LogicalNotEqual Select IEqual INotEqual
    ULessThan SLessThan UGreaterThan SGreaterThan ULessThanEqual SLessThanEqual UGreaterThanEqual SGreaterThanEqual ConvertFToS ConvertSToF
    ConvertFToU ConvertUToF Bitcast FNegate FAdd FSub FMul FDiv FRem FMod"""


def number(word: str, type: str) -> float:
    return float(word) if type in ("half", "float", "double") else int(word, 0)


def rows() -> Iterator[tuple[str, list[str], list[list[float]]]]:
    """Instructions, the types of operands and result, two samples of each."""
    for line in ROWS.strip().splitlines():
        name, gives, takes, *words = line.split()
        types = [*takes.split(","), gives]
        values = [number(word, type) for word, type in zip(words, types * 2, strict=True)]
        yield name, types, [values[: len(types)], values[len(types) :]]


class Constants:
    """The module's text, what the host sets the constants to, and what the kernel writes into its buffer, 16 bytes for each row.

    at_program_scope: the kernel reads variables that begin with the constants
    set_by_host: what the module says of the constants is something else
    """

    def __init__(self, at_program_scope: bool, set_by_host: bool):
        self.at_program_scope, self.set_by_host = at_program_scope, set_by_host
        self.chosen: list[bytes] = []
        self.expected = b""
        self.declarations = ["OpCapability Float16", "%half = OpTypeFloat 16", "%zero = OpConstantNull %uint", "%one = OpConstant %uint 1",
                             "%slot = OpTypeArray %ulong %l2", "%to_slot = OpTypePointer CrossWorkgroup %slot"]
        self.body = ["%slots = OpBitcast %to_slot %out"]
        for type in FORMATS:
            self.declarations.append(f"%v_{type} = OpTypeVector %{type} 2")
            if type != "bool":
                self.declarations += [f"%to_{each} = OpTypePointer CrossWorkgroup %{each}" for each in (type, f"v_{type}")]
        self.declarations += ["%v_zero = OpConstantNull %v_uint", "%v_one = OpConstantComposite %v_uint %one %one"]
        for row, (name, types, samples) in enumerate(rows()):
            self._add(f"s{row}", name, types, samples[:1])
            self._add(f"v{row}", name, types, samples)

    def _constant(self, id: str, type: str, value: float) -> None:
        self.declarations.append(f"OpDecorate %{id} SpecId {len(self.chosen)}")
        self.chosen.append(struct.pack(f"<{FORMATS[type]}", value))
        own = not value if self.set_by_host else value
        self.declarations.append(f"%{id} = OpSpecConstant{bool(own)} %bool" if type == "bool" else
                                 f"%{id} = OpSpecConstant %{type} {+own}")

    def _add(self, id: str, name: str, types: list[str], samples: list[list[float]]) -> None:
        v = "v_" * (len(samples) > 1)
        operands = []
        for at, type in enumerate(types[:-1]):
            parts = [f"{id}_{at}_{component}" for component in range(len(samples))]
            for part, sample in zip(parts, samples, strict=True):
                self._constant(part, type, sample[at])
            operands.append(f"%{id}_{at}" if v else f"%{parts[0]}")
            if v:
                self.declarations.append(f"%{id}_{at} = OpSpecConstantComposite %v_{type} {' '.join(f'%{part}' for part in parts)}")
        self.declarations.append(f"%{id} = OpSpecConstantOp %{v}{types[-1]} {name} {' '.join(operands)}")
        gives = types[-1]
        if gives == "bool":
            gives = "uint"
            self.declarations.append(f"%{id}_as_uint = OpSpecConstantOp %{v}uint Select %{id} %{v}one %{v}zero")
            id += "_as_uint"
        found = f"%{id}"
        if self.at_program_scope:
            self.declarations.append(f"%{id}_variable = OpVariable %to_{v}{gives} CrossWorkgroup %{id}")
            self.body.append(f"%{id}_read = OpLoad %{v}{gives} %{id}_variable")
            found += "_read"
        self.declarations.append(f"%{id}_row = OpConstant %ulong {len(self.expected) // 16}")
        self.body += [f"%{id}_slot = OpInBoundsPtrAccessChain %to_slot %slots %{id}_row",
                      f"%{id}_to = OpBitcast %to_{v}{gives} %{id}_slot", f"OpStore %{id}_to {found}"]
        self.expected += b"".join(struct.pack(f"<{FORMATS[gives]}", sample[-1]) for sample in samples).ljust(16, b"\0")

    def module(self) -> bytes:
        return assemble(whole("\n".join([*self.body, "OpReturn", "OpFunctionEnd"]), "\n".join(self.declarations)), (1, 4))


def test_every_instruction_that_is_allowed_has_a_row():
    assert {name for name, _, _ in rows()} == set(ALLOWED.split())


at_both_places = pytest.mark.parametrize("at_program_scope", [False, True], ids=["in a kernel", "at program scope"])


@at_both_places
def test_nvrtc_compiles(compiler, at_program_scope):
    """Without a GPU, where NVRTC is installed."""
    translation = translate_il(Constants(at_program_scope, False).module())
    compile_for_cuda(translation, "sm_90", flags(parse_options(""), compiler.version), compiler)


@at_both_places
@pytest.mark.parametrize("set_by_host", [False, True], ids=["own values", "set by the host"])
def test_values(real_device, at_program_scope, set_by_host):
    constants = Constants(at_program_scope, set_by_host)
    context = Context([real_device])
    queue = CommandQueue(context, real_device)
    program = Program.from_il(context, constants.module())
    if set_by_host:
        for spec_id, value in enumerate(constants.chosen):
            program.set_specialization_constant(spec_id, value)
    program.build()
    kernel = Kernel(program, "k")
    out = np.zeros(len(constants.expected), "u1")
    buffer = Buffer(context, codes.MEM_READ_WRITE | codes.MEM_COPY_HOST_PTR, out.nbytes, out)
    kernel.set_arg(0, buffer)
    kernel.set_arg(1, buffer)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
    buffer_commands.enqueue_read_buffer(queue, buffer, True, 0, out)
    found = {at: out[at : at + 16].tobytes() for at in range(0, len(out), 16)}
    wrong = {list(rows())[at // 32][0]: value.hex() for at, value in found.items() if value != constants.expected[at : at + 16]}
    assert not wrong
