"""Large programs on the host device: their first build stays near to linear, and what they compute is the same."""

from __future__ import annotations

import resource
import time

import numpy as np
import pytest
from support.devices import first
from support.execute import execute
from support.trees import tree

from cl2cuda.runtime.host import compiler, toolchain
from cl2cuda.translator import parse_options, translate


@pytest.fixture
def gnu() -> None:
    if toolchain.find_compiler().kind.name != "gnu":
        pytest.skip("the compiler is not GCC")


def test_small_programs_are_inlined_whole(gnu: None):
    text, large = compiler.program_text(translate(tree(10, 10)))
    assert not large and compiler.LEAVES_OUT_OF_LINE not in text


def test_what_no_kernel_reaches_makes_no_program_large(gnu: None):
    assert not compiler.program_text(translate(tree(500, 10)))[1]


def test_large_programs_leave_it_to_the_compiler(gnu: None):
    text, large = compiler.program_text(translate(tree(100, 100)))
    assert large and compiler.LEAVES_OUT_OF_LINE in text
    options = parse_options("")
    assert set(compiler.flags_for(options, large=True)) - set(compiler.flags_for(options)) == set(toolchain.KINDS["gnu"].large)


BARRIERS = """
int turned(local int *room, int x) {
    room[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = room[get_local_size(0) - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    return other;
}
kernel void turn(global float *out, global const float *in, const uint n) {
    local int room[16];
    const size_t i = get_global_id(0);
    out[i] = turned(room, (int)i) + turned(room, (int)i * 2);
}
"""


@pytest.mark.parametrize("kernel", ["run_0", "run_3", "turn"])
def test_large_programs_compute_the_same(kernel: str, monkeypatch: pytest.MonkeyPatch):
    device, source = first("host"), tree(100, 100, kernels=4) + BARRIERS
    given, found = np.linspace(0.1, 1, 64, dtype="f"), []
    for limit in (compiler.LARGE, 1 << 60):
        monkeypatch.setattr(compiler, "LARGE", limit)
        out = np.zeros(64, "f")
        # Another text, so that the second build does not come from the cache.
        execute(device, f"{source}// {limit}\n", out, given, np.uint32(64), size=64, local=(16,), kernel=kernel)
        found.append(out)
    assert found[0].any()
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)


def cipher(rounds: int) -> str:
    """A kernel like a DES: each round looks up eight numbers of a table, by keys that the bytes written might be."""
    lines = ["    const size_t at = get_global_id(0) * 8;", "    uint x = 0, y = 0;"]
    lines += [f"    {'xy'[i // 4]} |= (uint)in[at + {i}] << {i % 4 * 8};" for i in range(8)]
    for i in range(rounds):
        x, y = "xy" if i % 2 else "yx"
        found = " ^ ".join(f"table[({y} >> {4 * b} ^ key[{2 * i + 1}]) & 63]" for b in range(8))
        lines.append(f"    {x} ^= key[{2 * i}] ^ {found};")
    lines += [f"    out[at + {i}] = {'xy'[i // 4]} >> {i % 4 * 8};" for i in range(8)]
    head = "constant uint table[64] = { 1, 2, 3 };\nkernel void cipher(global const uint *key, global const uchar *in, global uchar *out) {"
    return "\n".join((head, *lines, "}\n"))


def compiler_seconds(source: str) -> float:
    """What the compiler takes of the processor for a program."""
    translation = translate(source)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    compiler.compile_program(translation, parse_options(""))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime + time.process_time() - start


def test_the_compilers_time_grows_with_the_program(gnu: None):
    """Four times the program took 16 times as long, and grew."""
    assert compiler_seconds(tree(240, 240)) < 9 * compiler_seconds(tree(60, 60))


def test_a_loop_of_many_accesses_is_compiled_soon(gnu: None):
    """GCC 12's vectoriser took minutes to compare them; now it is half a second."""
    source = cipher(64)
    assert compiler.program_text(translate(source))[1]
    assert compiler_seconds(source) < 10
