"""printf (6.15.14) on both devices: one text for both, which is that of the C library for scalars."""

from __future__ import annotations

import ctypes
import itertools
import math

import numpy as np
import pytest
from support.execute import execute
from support.spirv_assembler import assemble

from cl2cuda.builtins.extensions import EXTENSIONS
from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.translator import CompileError, parse_options, translate

C3 = "-cl-std=CL3.0"
DOUBLES = ("0.0", "-0.0", "1.0", "-1.5", "3.14159265358979", "1e300", "5e-324", "123456789.0", "0.1", "65504.0", "9.9999995", "2.5",
           "(double)INFINITY", "(double)-INFINITY", "(double)NAN")
INTS = ("0", "1", "-1", "255", "-129", "65536", "2147483647", "(int)0x80000000")
LONGS = ("0l", "-1l", "0x123456789abcdefl", "(long)0x8000000000000000ul")


def value_of(literal: str) -> float | int:
    """What the literal above means."""
    known = {"(double)INFINITY": math.inf, "(double)-INFINITY": -math.inf, "(double)NAN": math.nan, "(int)0x80000000": -(2**31),
             "(long)0x8000000000000000ul": -(2**63)}
    return known[literal] if literal in known else float(literal) if "." in literal or "e-" in literal or "e3" in literal else int(
        literal.rstrip("l"), 0)


def c_text(format: str, *values: object) -> str:
    buffer = ctypes.create_string_buffer(1000)
    ctypes.CDLL(None).snprintf(buffer, ctypes.c_size_t(1000), format.encode(), *values)
    return buffer.value.decode()


def printed(device, capfd, body: str, options: str = C3, parameters: str = "", args: tuple = ()) -> list[str]:
    """The lines that one work-item prints."""
    capfd.readouterr()
    execute(device, f"kernel void f({parameters}) {{\n{body}\n}}", *args, options=options)
    return capfd.readouterr().out.split("\n")


def cases() -> list[tuple[str, str, object]]:
    found: list[tuple[str, str, object]] = []
    flags, widths, precisions = ("", "+", " ", "#", "0", "-", "+0", "- "), ("", "12"), ("", ".0", ".3", ".10")
    for number, (flag, width, precision, letter) in enumerate(itertools.product(flags, widths, precisions, "feEgGaAF")):
        # Not every value with every format: each format has three, and over all formats each value comes often.
        for k in range(3):
            literal = DOUBLES[(number * 3 + k) % len(DOUBLES)]
            found.append((f"%{flag}{width}{precision}{letter}", literal, ctypes.c_double(value_of(literal))))
    for number, (flag, width, precision, letter) in enumerate(itertools.product(flags, widths, ("", ".0", ".5"), "diouxX")):
        for length, type_, literals in (("", ctypes.c_int, INTS), ("hh", ctypes.c_int, INTS), ("h", ctypes.c_int, INTS),
                                        ("l", ctypes.c_long, LONGS)):
            literal = literals[number % len(literals)]
            found.append((f"%{flag}{width}{precision}{length}{letter}", literal, type_(value_of(literal))))  # type: ignore[arg-type]
    return found


def test_every_flag_and_conversion(real_device, capfd):
    """A table of constants keeps the program small: NVRTC takes a second for each thousand calls."""
    given = cases()
    body = "".join(f'printf("[{format}]\\n", {literal});\n' for format, literal, _ in given)
    lines = printed(real_device, capfd, body)
    wrong = [(case[:2], line, text) for case, line in zip(given, lines, strict=False)
             if line != (text := c_text(f"[{case[0]}]", case[2])) and "nan" not in text.lower()]
    assert not wrong and len(lines) == len(given) + 1
    assert "[nan]" in lines and "[         NAN]" in lines


def test_the_specification_s_examples_and_other_vectors(real_device, capfd):
    body = r"""
    float4 f = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    uchar4 uc = (uchar4)(0xFA, 0xFB, 0xFC, 0xFD);
    printf("f4 = %2.2v4hlf\n", f);
    printf("uc = %#v4hhx\n", uc);
    printf("%v2hhd %v2hhu|%-4v3hd|%v2hx\n", (char2)(-1, 127), (char2)(-1, 127), (short3)(-300, 5, 6), (short2)(-1, 2));
    printf("%+v3hld %v8hlu\n", (int3)(1, -2, 3), (uint8)(0, 1, 2, 3, 4, 5, 6, 0xffffffff));
    printf("%v2ld %v2lx %v2lo\n", (long2)(-1, 1l << 40), (ulong2)(~0ul, 15), (long2)(8, 9));
    printf("%v3lg %.1v2le %v2la\n", (double3)(0.5, 1e100, -3), (double2)(12345, 0), (double2)(1, 0.1));
    printf("%v2hlg %5.1v16hlf\n", (float2)(INFINITY, 0.1f), (float16)(1.25f));
    printf("%s: %v16hld; %v16hld %c\n", "many", (int16)(7), (int16)(8), 'x');
    """
    sixteen = ",".join(["  1.2"] * 16)
    seven, eight = (",".join([n] * 16) for n in "78")
    assert printed(real_device, capfd, body) == [
        "f4 = 1.00,2.00,3.00,4.00", "uc = 0xfa,0xfb,0xfc,0xfd", "-1,127 255,127|-300,5   ,6   |ffff,2",
        "+1,-2,+3 0,1,2,3,4,5,6,4294967295", f"-1,{1 << 40} {2**64 - 1:x},f 10,11", "0.5,1e+100,-3 1.2e+04,0.0e+00 0x1p+0,0x1.999999999999ap-4",
        f"inf,0.1 {sixteen}", f"many: {seven}; {eight} x", ""]  # fmt: skip


def test_strings_characters_pointers_and_results(real_device, capfd):
    body = r"""
    printf("[%s][%10s][%-6s][%.2s] %% 100%%\n", "text", "right", "left", "cut");
    printf("[%c%c][%3c][%-3c]\n", 'a', 66, 'c', 'd');
    printf("[%*d][%-*d][%.*f]\n", 5, 3, 6, 4, 2, 3.14159);
    printf("[%p][%20p]\n", (void *)0x1234, (global int *)0xabcdef0);
    char c = -1; uchar u = 255; short s = -300; half4 *unused;
    printf("%d %u %d %hhd %hhu %hd %hu\n", c, u, s, s, s, 70000, -1);
    int n = 0, r = printf("counted %d", n++), q = printf("\n");
    printf("%d %d %d %d\n", r, q, n, printf("%v16hld %v16hld %d\n", (int16)(1), (int16)(2), 3));
    printf("plain, no arguments\n");
    printf("excess %d\n", 1, n++, 2.5f);
    printf("%d %f %lu %x\n", (size_t)1 << 33 | 5, 1.5f, get_global_size(0), (uchar)200);
    size_t big = 1ul << 40;
    printf("%d|%lu|%u|%ld\n", big + 3, big, big + 4, 7);
    """
    ones, twos = (",".join([n] * 16) for n in "12")
    assert printed(real_device, capfd, body.replace("half4 *unused;", "")) == [
        "[text][     right][left  ][cu] % 100%", "[aB][  c][d  ]", "[    3][4     ][3.14]", "[0x1234][           0xabcdef0]",
        "-1 255 -300 -44 212 4464 65535", "counted 0", f"{ones} {twos} 3", "0 0 1 0", "plain, no arguments", "excess 1",
        "5 1.500000 1 c8", f"3|{1 << 40}|4|7", ""]  # fmt: skip


def test_a_null_string_is_printed_as_the_c_library_does(real_device, capfd):
    """Undefined (6.15.14.4), but programs do: GCC's puts, which a lone line becomes, would end the process."""
    body = r"""
    printf("%s\n", (void *)0);
    printf("%s|%s\n", (constant char *)0, "text");
    """
    assert printed(real_device, capfd, body) == ["(null)", "(null)|text", ""]


@pytest.mark.parametrize("blocking", [True, False])
def test_what_was_printed_is_there_with_the_results(real_device, capfd, blocking):
    """A read that has ended is waited for by nobody; a later finish() finds nothing to do."""
    context = Context([real_device])
    queue, results = CommandQueue(context, real_device), np.zeros(1 << 16, np.uint32)
    program = Program(context, 'kernel void f(global uint *r) { r[get_global_id(0)] = 7; if (get_global_id(0) == 5) printf("at %d\\n", r[5]); }')
    program.build(C3)
    kernel, buffer = Kernel(program, "f"), Buffer(context, 0, results.nbytes)
    kernel.set_arg(0, buffer)
    capfd.readouterr()
    enqueue_nd_range_kernel(queue, kernel, 1, None, (len(results),), None)
    enqueue_read_buffer(queue, buffer, blocking, 0, results)
    if not blocking:
        queue.finish()
    assert capfd.readouterr().out == "at 7\n" and (results == 7).all()


def test_half(real_device, capfd):
    if not EXTENSIONS["cl_khr_fp16"].offered:
        pytest.skip("half is not offered")
    body = r"""
    printf("%v2hg %v4hf %g %.2v3he\n", (half2)(0.5h, -2), (half4)(1.5h), 0.25h, (half3)(1, 65504, INFINITY));
    """
    assert printed(real_device, capfd, body) == ["0.5,-2 1.500000,1.500000,1.500000,1.500000 0.25 1.00e+00,6.55e+04,inf", ""]


def test_values_of_arguments(real_device, capfd):
    """As test of constants, with values that the compiler does not know."""
    args = (np.float32(0.1), np.float64(-2.5), bytes([1, 2, 3, 4]), np.uint64(2**63), np.array([1, -1]).tobytes())
    text = printed(real_device, capfd, r'printf("%.8f %g %v4hhd %lu %v2ld\n", f, d, c, u, l);', parameters="float f, double d, char4 c, ulong u, long2 l",
                   args=args)
    assert text == [f"0.10000000 -2.5 1,2,3,4 {2**63} 1,-1", ""]


def test_much_output(real_device, capfd):
    """A megabyte, which CL_DEVICE_PRINTF_BUFFER_SIZE promises, in short pieces."""
    source = r'kernel void f() { size_t i = get_global_id(0); for (int k = 0; k < 4; k++) printf("%08x %d\n", (uint)i, k); }'
    n = (1 << 20) // 44
    execute(real_device, source, size=n)
    lines = capfd.readouterr().out.split("\n")
    assert sorted(lines) == ["", *(f"{i:08x} {k}" for i in range(n) for k in range(4))]
    assert sum(map(len, lines)) + len(lines) > 10**6
    assert real_device.get_info(0x1049) == 1 << 20  # CL_DEVICE_PRINTF_BUFFER_SIZE


@pytest.mark.parametrize("how", ["event", "status", "finish"])
def test_output_is_there_when_the_event_is_complete(real_device, capfd, how):
    """6.15.14.1: "When the event that is associated with a particular kernel invocation is completed, the output of all printf() calls
    executed by this kernel invocation is flushed"."""
    context = Context([real_device])
    queue = CommandQueue(context, real_device)
    program = Program(context, 'kernel void f(int n) { if (get_global_id(0) == 3) printf("here %d\\n", n); }')
    program.build()
    kernel = Kernel(program, "f")
    for n in range(20):
        kernel.set_arg(0, np.int32(n))
        event = enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), None)
        if how == "event":
            event.wait()
        elif how == "finish":
            queue.finish()
        else:
            queue.flush()
            while event.status != codes.COMPLETE:
                pass
        assert capfd.readouterr().out == f"here {n}\n"


@pytest.mark.parametrize(("call", "message"), [
    ('printf("%*d", get_local_id(0), 1)', "'*' in the format of printf is not part of OpenCL C"),
    ('printf("%d %d", 1)', "printf has no argument for '%d'; 0 is taken"),
    ('printf("%q", 1)', "invalid conversion specifier '%q'"),
    ('printf("%v4hls", (int4)1)', "invalid conversion specifier"),
    ('printf("%v4d", (int4)1)', "a vector specifier without a length modifier"),
    ('printf("%f", 1)', "takes a 'double', the argument has type 'int'"),
    ('printf("%d", 1.0f)', "takes a 'int', the argument has type 'float'"),
    ('printf("%d", (int2)1)', "takes a 'int', the argument has type 'int2'"),
    ('printf("%v2hlf", (int2)1)', "takes a 'float2', the argument has type 'int2'"),
    ('printf("%v2hx", (uint2)1)', "takes a 'ushort2', the argument has type 'uint2'"),
    ('printf("%v2hlf", 1.0f)', "takes a 'float2', the argument has type 'float'"),
    ('printf("%d", out)', "takes a 'int', the argument has type"),
    ('printf("%v4hld", (int2)1)', "takes a 'int4', the argument has type 'int2'"),
    ('printf("%v2hhd", (char4)1)', "takes a 'char2', the argument has type 'char4'"),
    ('printf("%v4hlf", (int2)1)', "takes a 'float4', the argument has type 'int2'"),
])
def test_what_is_undefined_is_warned_of(call, message):
    translation = translate(f"kernel void f(global int *out) {{ {call}; }}", parse_options(C3))
    assert [d for d in translation.diagnostics if message in d.message], translation.diagnostics


@pytest.mark.parametrize("argument", ["(struct s){ 1 }", "out"])
def test_what_is_no_number_is_no_vector(argument):
    with pytest.raises(CompileError, match=r"'%v4hld' in the format of printf takes a 'int4', the argument has type"):
        translate(f'struct s {{ int n; }}; kernel void f(global int *out) {{ printf("%v4hld", {argument}); }}', parse_options(C3))


def test_vectors_of_another_width_are_cut_or_filled_with_zeros(real_device, capfd):
    """What clang warns of, too; each argument is evaluated once."""
    body = r"""
    int n = 0;
    printf("%v4hld|%v2hld|%v3hlf|%v2hld\n", (int2)(1, 2), (int4)(1, 2, 3, 4), (int2)(++n, 2), (float4)(1.5f, -2.0f, 3.0f, 4.0f));
    printf("%v2hlf %v4hlf %d %v3hld\n", (float8)(0.5f), (float3)(1, 2, 3), n++, (uint2)(-1, 2));
    printf("%v3hhx %v16hhu %v4hd\n", (uchar4)(255, 2, 3, 4), (char2)(-1, 1), (short2)(-300, 1));
    printf("%v8ld %v2lf %v4hf %d\n", (long3)(1l << 40, -1, 2), (double4)(0.25), (float2)(1, 2), n);
    """
    assert printed(real_device, capfd, body) == [
        "1,2,0,0|1,2|1.000000,2.000000,0.000000|1,-2", "0.500000,0.500000 1.000000,2.000000,3.000000,0.000000 1 -1,2,0",
        "ff,2,3 255,1" + 14 * ",0" + " -300,1,0,0", f"{1 << 40},-1,2,0,0,0,0,0 0.250000,0.250000 1.000000,2.000000,0.000000,0.000000 2", ""]


def test_undefined_conversions_mean_the_same_everywhere(real_device, capfd):
    body = r'printf("%d %d|%f|%d|%v2hlf\n", 1.75f, (int2)(3, 4), 2, out == 0, (int2)(5, 6)); printf("%d %v2hd\n", 1, (uint2)(65537, 2)); printf("%d\n");'
    assert printed(real_device, capfd, body, parameters="global int *out", args=(np.zeros(1, np.int32),)) == [
        "1 3|2.000000|0|5.000000,6.000000", "1 1,2", "0", ""]


LENGTHS = """OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int64
%std = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "k"
OpDecorate %format Constant
%void = OpTypeVoid
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%count = OpConstant %ulong {count}
%l0 = OpConstant %ulong 0
%text = OpTypeArray %uchar %count
%to_text = OpTypePointer UniformConstant %text
%to_char = OpTypePointer UniformConstant %uchar
%kernel = OpTypeFunction %void %uint
{characters}
%value = OpConstantComposite %text {names}
%format = OpVariable %to_text UniformConstant %value
%main = OpFunction %void None %kernel
%x = OpFunctionParameter %uint
%entry = OpLabel
%first = OpInBoundsAccessChain %to_char %format %l0
%done = OpExtInst %uint %std printf %first %x %x %x %x %x
OpReturn
OpFunctionEnd
"""


def test_a_modules_format_may_be_in_the_global_address_space(real_device, capfd):
    """SPV_EXT_relaxed_printf_string_address_space, and through a generic pointer."""
    format = b"%d\n\0"
    text = LENGTHS.format(count=len(format), names=" ".join(f"%c{n}" for n in range(len(format))),
                          characters="\n".join(f"%c{n} = OpConstant %uchar {code}" for n, code in enumerate(format)))
    text = text.replace("UniformConstant", "CrossWorkgroup").replace("printf %first %x %x %x %x %x", "printf %anywhere %x")
    text = text.replace("%done =", "%anywhere = OpPtrCastToGeneric %generic %first\n%done =").replace(
        "%kernel =", "%generic = OpTypePointer Generic %uchar\n%kernel =").replace(
        "%std = ", 'OpCapability GenericPointer\nOpExtension "SPV_EXT_relaxed_printf_string_address_space"\n%std = ')
    assert printed_by_module(real_device, capfd, text, 7) == "7\n"


def test_lengths_of_cs_narrow_the_arguments_of_a_modules_printf(real_device, capfd):
    """CUDA's printf knows no hh."""
    format = b"%hhd %hhu %hd %hu %hhx\n\0"
    text = LENGTHS.format(count=len(format), names=" ".join(f"%c{n}" for n in range(len(format))),
                          characters="\n".join(f"%c{n} = OpConstant %uchar {code}" for n, code in enumerate(format)))
    assert printed_by_module(real_device, capfd, text, 0x1fe81) == "-127 129 -383 65153 81\n"


def printed_by_module(device, capfd, text, number):
    context = Context([device])
    queue = CommandQueue(context, device)
    program = Program.from_il(context, assemble(text))
    program.build()
    kernel = Kernel(program, "k")
    kernel.set_arg(0, np.uint32(number).tobytes())
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
    queue.finish()
    return capfd.readouterr().out
