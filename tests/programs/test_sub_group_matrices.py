"""Products of matrices by sub-groups (cl_intel_subgroup_matrix_multiply_accumulate), run against NumPy: every function, in whole warps,
in parts of warps, and where a warp's sub-groups part."""

from __future__ import annotations

import numpy as np
import pytest
from support.execute import execute
from support.sub_group_matrices import ARRAYS, BITS, NAME, Matrices, functions

from cl2cuda.builtins.typenames import split
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.translator import parse_options, translate

OPTIONS = "-cl-std=CL3.0"
FUNCTIONS = functions()
KINDS = sorted({o.name for o in FUNCTIONS})


def kernel(number: int, matrices: Matrices, condition: str = "") -> str:
    o = matrices.overload
    a, b, acc = o.parameters
    loads = [f"vload{n}(i, {name})" if n > 1 else f"{name}[i]" for name, n in (("a", split(a)[1]), ("b", 8), ("acc", split(acc)[1]))]
    store = f"vstore{matrices.rows}(sum, i, acc);" if matrices.rows > 1 else "acc[i] = sum;"
    call = f"sum = {o.name}({loads[0]}, {loads[1]}, sum);"
    return f"""
    __attribute__((intel_reqd_sub_group_size({matrices.sub_group})))
    kernel void k{number}(global const {split(a)[0]} *a, global const {split(b)[0]} *b, global {split(acc)[0]} *acc) {{
        size_t i = get_global_id(0);
        {acc} sum = {loads[2]};
        {f"if ({condition})" if condition else ""} {call}
        {store}
    }}"""


def of_kind(kind: str) -> list[Matrices]:
    return [Matrices(o, 12) for o in FUNCTIONS if o.name == kind]


def test_all_functions_are_there():
    """The extension's text: 2 widths of sub-groups, 4 numbers of rows, 8 mixes of integers and 2 of floating-point numbers, and for
    sub-groups of 16 two that accumulate what they multiply."""
    assert len(FUNCTIONS) == 2 * 4 * (8 + 2) + 4 * 2


@pytest.mark.parametrize("local", [96, 16, 48])
@pytest.mark.parametrize("kind", KINDS)
def test_products(real_device, kind, local):
    """Work-groups of three warps, of half a warp, and of a warp and a half."""
    every = of_kind(kind)
    source = "".join(kernel(i, each) for i, each in enumerate(every))
    for i, each in enumerate(every):
        a, b, acc, expected = each.arguments()
        execute(real_device, source, a, b, acc, size=12 * each.sub_group, local=(local,), options=OPTIONS, kernel=f"k{i}")
        assert (acc.view(f"u{acc.itemsize}") == expected.view(f"u{acc.itemsize}")).all(), each.overload


def test_sub_groups_of_a_warp_that_part(real_device):
    """Every third sub-group has nothing to multiply: others of its warp have."""
    every = [Matrices(o, 12) for o in FUNCTIONS if (split(o.parameters[0])[1] == 4 and "i8_i8" in o.name) or ("f16" in o.name and "short8" in o.parameters)]
    for i, each in enumerate(every):
        source = kernel(i, each, "get_sub_group_id() % 3")
        a, b, acc, expected = each.arguments()
        before = acc.copy()
        execute(real_device, source, a, b, acc, size=12 * each.sub_group, local=(6 * each.sub_group,), options=OPTIONS, kernel=f"k{i}")
        none = np.arange(12) % 6 % 3 == 0
        assert (acc[none] == before[none]).all() and (acc[~none] == expected[~none]).all(), each.overload


def test_a_chain_of_products(real_device):
    """What a kernel does with them: a row of tiles times a column of tiles, the sums staying where they are."""
    source = """__attribute__((intel_reqd_sub_group_size(16)))
    kernel void multiply(global const ushort *a, global const uint *b, global float *c, int k) {
        int lane = get_sub_group_local_id(), tile = get_group_id(0) * get_num_sub_groups() + get_sub_group_id();
        float8 sum = 0;
        for (int i = 0; i < k; i += 16) {
            short8 left;
            int8 right;
            for (int row = 0; row < 8; row++) ((short *)&left)[row] = a[row * k + i + lane];
            for (int pair = 0; pair < 8; pair++) ((int *)&right)[pair] = b[((i / 2 + pair) * get_num_groups(0) * get_num_sub_groups() + tile) * 16 + lane];
            sum = intel_sub_group_f16_f16_matrix_mad_k16(left, right, sum);
        }
        for (int row = 0; row < 8; row++)
            c[(row * get_num_groups(0) * get_num_sub_groups() + tile) * 16 + lane] = ((float *)&sum)[row];
    }"""
    random = np.random.default_rng(1)
    a, b = random.integers(-9, 10, (8, 80)).astype(np.float16), random.integers(-9, 10, (80, 128)).astype(np.float16)
    pairs = np.ascontiguousarray(b.reshape(40, 2, 128).transpose(0, 2, 1)).view(np.uint32)
    c = np.zeros((8, 128), np.float32)
    execute(real_device, source, a.view(np.uint16), pairs, c, np.int32(80), size=128, local=(64,), options=OPTIONS)
    assert (c == a.astype(np.float32) @ b.astype(np.float32)).all()


def test_what_programs_find():
    """The extension's macro; and an accumulator of half needs half."""
    source = f"#ifdef {NAME}\nkernel void f(global int *x) {{ x[0] = intel_sub_group_i8_i8_matrix_mad_k32(x[1], (int8)(1), 0); }}\n#endif"
    (found,) = translate(source, parse_options(OPTIONS)).kernels
    assert found.name == "f"


@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90", "sm_120"])
def test_machine_code(compiler, architecture):
    """For CUDA: by tensor cores where they multiply these elements."""
    every = [Matrices(o, 1) for o in FUNCTIONS if split(o.parameters[0])[1] == 8]
    if architecture != "sm_80":  # a share, that has all elements
        every = every[::4]
    translation = translate("".join(kernel(i, each) for i, each in enumerate(every)), parse_options(OPTIONS))
    source, flags = translation.source("cuda"), ("--std=c++20", "-default-device")
    assert nvrtc.compile(source, architecture, flags).startswith(b"\x7fELF")
    text = nvrtc.compile(source, architecture.replace("sm", "compute"), flags).decode()
    shapes = {f"m16n8k{256 // BITS[each.overload.name.split('_')[3]]}" for each in every}
    assert shapes == {"m16n8k16", "m16n8k32", "m16n8k64"}
    assert all((f"mma.sync.aligned.{shape}" in text) == (architecture != "sm_75") for shape in shapes)


@pytest.mark.parametrize(("part", "shuffles", "products"), [("short8", 6 + 12 + 12 + 12, 2), ("int8", 12 + 16 + 16 + 16, 4)])
def test_what_a_product_costs(compiler, part, shuffles, products):
    """The exchanges of a, b, sums and result, once: no shuffle stands in a branch."""
    source = f"""__attribute__((intel_reqd_sub_group_size({32 // np.dtype(ARRAYS[split(part)[0]]).itemsize})))
    kernel void f(global {part} *a, global int8 *b, global float8 *c) {{
        size_t i = get_global_id(0);
        c[i] = intel_sub_group_f16_f16_matrix_mad_k16(a[i], b[i], c[i]);
    }}"""
    source = translate(source, parse_options(OPTIONS)).source("cuda")
    text = nvrtc.compile(source, "compute_90", ("--std=c++20", "-default-device")).decode()
    assert text.count("shfl.sync.bfly") == shuffles and text.count("mma.sync") == products


PTX_KERNEL = """
kernel void product(global const uint *a, global const uint *b, global float *c) {
    int lane = get_local_id(0);
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    uint row = lane / 4 * 8 + lane % 4, below = row + 64;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                 : "r"(a[row]), "r"(a[below]), "r"(a[row + 4]), "r"(a[below + 4]), "r"(b[row]), "r"(b[row + 4]));
    int at = lane / 4 * 8 + lane % 4 * 2;
    c[at] = d0; c[at + 1] = d1; c[at + 64] = d2; c[at + 65] = d3;
}"""


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_120"])
def test_tensor_cores_by_inline_ptx_compile(compiler, architecture):
    source = translate(PTX_KERNEL, parse_options(OPTIONS)).source("cuda")
    assert nvrtc.compile(source, architecture, ("--std=c++20", "-default-device")).startswith(b"\x7fELF")


def test_tensor_cores_by_inline_ptx(cuda_device):
    """A program's own way to their full rate: what it holds are fragments from the start. b is given by columns."""
    random = np.random.default_rng(1)
    a, b = random.integers(-9, 10, (16, 16)).astype(np.float16), random.integers(-9, 10, (8, 16)).astype(np.float16)
    c = np.zeros((16, 8), np.float32)
    execute(cuda_device, PTX_KERNEL, a.view(np.uint32), b.view(np.uint32), c, size=32, local=(32,), options=OPTIONS)
    assert (c == a.astype(np.float32) @ b.T.astype(np.float32)).all()
