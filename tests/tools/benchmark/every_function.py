"""Every function of OpenCL C 1.2 that computes with numbers, operators and conversions among them: cl2cuda beside NVIDIA's own OpenCL.

A kernel calls each one 128 times in each of 262,144 work-items; its time is by events, the least of several launches. The table has the
ratios of cl2cuda's time to NVIDIA's, the largest first, and their geometric mean.

usage: python tests/tools/benchmark/every_function.py [--rounds N] [--above RATIO] [OPTION of the build ...]
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests")]

from tools.benchmark.sides import OURS, STOCK, printed  # noqa: E402

ITEMS, CALLS = 1 << 18, 128
FLOATS = {"float": "f4", "double": "f8"}
INTEGERS = {"int": "i4", "uint": "u4", "long": "i8", "ulong": "u8", "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2"}
# Of x and y between 0.1 and 0.9, unless an expression says otherwise: T is the type.
OF_ONE = ("acos acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs floor lgamma log log2 "
          "log10 log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc degrees radians sign ilogb").split()
OF_TWO = "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder step".split()
OF_FLOATS = {
    "acosh": "acosh(1 + x)", "cos of 100": "cos(100 * x)", "sin of 100": "sin(100 * x)", "tan of 100": "tan(100 * x)",
    "sincos": "sincos(x, &z) + z", "fract": "fract(x, &z) + z", "modf": "modf(x, &z) + z", "frexp": "frexp(x, &n)", "remquo": "remquo(x, y, &n)",
    "lgamma_r": "lgamma_r(x, &n)", "ldexp": "ldexp(x, i & 7)", "pown": "pown(x, i & 7)", "rootn": "rootn(x, (i & 7) + 2)", "division": "x / y",
    "classes": "isnan(x) + isinf(y) + signbit(x) + isfinite(y)", "mix": "mix(x, y, (T)0.3)", "smoothstep": "smoothstep((T)0.1, (T)0.8, x)",
    "clamp": "clamp(x, (T)0.2, (T)0.6)", "fma": "fma(x, y, x)", "mad": "mad(x, y, x)", "length of 2": "length((T2)(x, y))",
    "length of 4": "length((T4)(x, y, x, y))", "normalize": "normalize((T4)(x, y, x, y)).y", "dot": "dot((T4)(x, y, x, y), (T4)(y))",
    "distance": "distance((T4)(x, y, x, y), (T4)(y))", "cross": "cross((T4)(x, y, x, y), (T4)(y)).x", "exp of 4": "exp((T4)(x, y, x, y)).z",
    "convert_uchar4_sat": "convert_uchar4_sat((T4)(x, y, x, y) * 255).y", "convert_uchar16_sat_rte": "convert_uchar16_sat_rte((T16)(x) * 255).s7",
}  # fmt: skip
OF_FLOAT = ("cos exp exp2 exp10 log log2 log10 recip rsqrt sin sqrt tan").split()
OF_INTEGERS = {
    "division": "x / (y | 1)", "remainder": "x % (y | 1)", "division by 7": "x / 7", "mul_hi": "mul_hi(x, y)", "mad_hi": "mad_hi(x, y, x)",
    "mad_sat": "mad_sat(x, y, x)", "abs_diff": "abs_diff(x, y)", "add_sat": "add_sat(x, y)", "sub_sat": "sub_sat(x, y)", "hadd": "hadd(x, y)",
    "rhadd": "rhadd(x, y)", "rotate": "rotate(x, y)", "clz": "clz(x)", "popcount": "popcount(x)", "abs": "abs(x)", "max": "max(x, y)",
    "clamp": "clamp(x, (T)3, (T)90)", "product": "x * y", "shift left": "x << (y & 7)", "shift right": "x >> (y & 7)",
    "select": "x > y ? x : y + 1", "bitselect": "bitselect(x, y, x)", "convert_float": "convert_float(x)", "convert_uchar_sat": "convert_uchar_sat(x)",
    "products of 8": "((T8)(x) * (T8)(y) + (T8)(1, 2, 3, 4, 5, 6, 7, 8)).s5",
}  # fmt: skip
OF_INT = {"mul24": "mul24(x, y)", "mad24": "mad24(x, y, x)", "upsample": "upsample((short)x, (ushort)y)",
          "shuffle": "shuffle((int4)(x, y, x + 1, y + 1), (uint4)(y & 3, x & 3, 1, 2)).x"}


def lines() -> Iterator[tuple[str, str, str]]:
    """Name, type and expression."""
    for type in FLOATS:
        yield from ((f"{name}, {type}", type, f"{name}(x)") for name in OF_ONE)
        yield from ((f"{name}, {type}", type, f"{name}(x, y)") for name in OF_TWO)
        yield from ((f"{name}, {type}", type, expression) for name, expression in OF_FLOATS.items())
        for to in INTEGERS:
            yield from ((f"convert_{to}{how} of {type}", type, f"convert_{to}{how}(x * 100)") for how in ("", "_sat", "_rte"))
    for name in OF_FLOAT:
        yield from ((f"{kind}_{name}", "float", f"{kind}_{name}(x)") for kind in ("native", "half"))
    for name in ("divide", "powr"):
        yield from ((f"{kind}_{name}", "float", f"{kind}_{name}(x, y)") for kind in ("native", "half"))
    yield from ((f"fast_{name}", "float", f"fast_{name}((float4)(x, y, x, y)){part}") for name, part in (("length", ""), ("normalize", ".x")))
    for type in INTEGERS:
        yield from ((f"{name}, {type}", type, expression) for name, expression in OF_INTEGERS.items())
    yield from ((name, "int", expression) for name, expression in OF_INT.items())


def kernel(type: str, expression: str) -> str:
    step = "x = x * (T)0.999 + (T)0.0005; y = y * (T)0.998 + (T)0.001;" if type in FLOATS else "x += (T)3; y += (T)5;"
    body = f"for (int i = 0; i < {CALLS}; i++) {{ s += (T)({expression}); {step} }}"
    text = f"T x = a[get_global_id(0)], y = a[get_global_id(0) + 1], s = 0, z = 0; int n = 0; {body} o[get_global_id(0)] = s;"
    for word in ("T16", "T8", "T4", "T2", "T"):
        text = text.replace(f"({word})", f"({type}{word[1:]})")
    return f"kernel void test(global const {type} *a, global {type} *o) {{ {text.replace('T x', f'{type} x')} }}"


def measure(options: list[str]) -> None:
    """Prints the microseconds of each line, behind its name and a tab."""
    import numpy as np
    import pyopencl as cl

    context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        programs = list(threads.map(lambda line: cl.Program(context, kernel(*line[1:])).build(["-cl-std=CL1.2", *options]), lines()))
    random, memory = np.random.default_rng(1), {}
    for type, dtype in (FLOATS | INTEGERS).items():
        values = random.random(ITEMS + 1) * 0.8 + 0.1 if type in FLOATS else random.integers(1, 100, ITEMS + 1)
        inputs = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=values.astype(dtype))
        memory[type] = inputs, cl.Buffer(context, cl.mem_flags.WRITE_ONLY, inputs.size)
    for (name, type, _), program in zip(lines(), programs, strict=True):
        test, times = program.test, []
        test.set_args(*memory[type])
        for _ in range(6):
            event = cl.enqueue_nd_range_kernel(queue, test, (ITEMS,), (256,))
            event.wait()
            times.append(event.profile.end - event.profile.start)
        print(f"{name}\t{min(times) / 1000}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python tests/tools/benchmark/every_function.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--above", type=float, default=1.03, help="show the lines of this ratio and more (default 1.03)")
    arguments, options = parser.parse_known_args()
    if arguments.measure:
        return measure(options)
    best: dict[str, dict[str, float]] = {"cl2cuda": {}, "NVIDIA OpenCL": {}}
    for _ in range(arguments.rounds):
        for side, command in zip(best, (OURS, STOCK), strict=True):
            for line in printed(command, __file__, side, *options):
                name, _, time = line.partition("\t")
                best[side][name] = min(float(time), best[side].get(name, math.inf))
    ratios = {name: time / best["NVIDIA OpenCL"][name] for name, time in best["cl2cuda"].items()}
    for name in sorted(ratios, key=ratios.__getitem__, reverse=True):
        if ratios[name] >= arguments.above:
            print(f"{name:32}{best['cl2cuda'][name]:10.1f} us{best['NVIDIA OpenCL'][name]:10.1f} us{ratios[name]:8.2f}")
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"{len(ratios)} lines, geometric mean {mean:.2f}, {sum(ratio > 1.1 for ratio in ratios.values())} above 1.1")


if __name__ == "__main__":
    main()
