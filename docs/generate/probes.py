"""Small OpenCL C programs that use one thing each: which of them an implementation builds tells more than what it says of itself."""

from __future__ import annotations

from typing import NamedTuple


class Probe(NamedTuple):
    """what: as the page calls it; section: of the OpenCL C 3.0 specification, or the extension; std: for -cl-std=CL...;
    body: of a kernel `k(global int *a, global float *b, local int *c)`, after whatever stands above a line of dashes."""

    what: str
    section: str
    std: str
    body: str

    @property
    def source(self) -> str:
        above, _, body = self.body.rpartition("---")
        return f"{above}\nkernel void k(global int *a, global float *b, local int *c) {{ {body} }}\n"


_ENABLE = "#pragma OPENCL EXTENSION {} : enable\n"
_HALF = _ENABLE.format("cl_khr_fp16")
_SUBGROUPS = _ENABLE.format("cl_khr_subgroups")

PROBES = (
    Probe("`double`", "6.3.1", "1.2", "double x = b[0]; b[1] = (float)sqrt(x);"),
    Probe("`half` arithmetic and functions", "6.3.1", "1.2", _HALF + "---half x = (half)b[0]; b[1] = (float)(sqrt(x) * x);"),
    Probe("`half` loads and stores (`vload_half`)", "6.15.7", "1.2",
          "b[1] = vload_half(0, (global half *)a); vstore_half(b[0], 2, (global half *)a);"),
    Probe("generic address space (2.0)", "6.7.1", "2.0",
          "int f(int *p) { return *p; }\n---int x = a[1]; a[0] = f(&x) + f(a) + f(c);"),
    Probe("generic address space (3.0)", "6.7.1", "3.0",
          "int f(int *p) { return *p; }\n---int x = a[1]; a[0] = f(&x) + f(a) + f(c);"),
    Probe("program-scope variables", "6.7.1", "3.0", "global int kept = 3;\n---kept += 1; a[0] = kept;"),
    Probe("C11 atomics, `atomic_int` in global memory", "6.15.12", "3.0",
          "atomic_fetch_add_explicit((volatile global atomic_int *)a, 1, memory_order_relaxed, memory_scope_device);"),
    Probe("C11 atomics, sequentially consistent", "6.15.12", "3.0", "atomic_fetch_add((volatile global atomic_int *)a, 1);"),
    Probe("64-bit atomics", "cl_khr_int64_base_atomics", "1.2",
          _ENABLE.format("cl_khr_int64_base_atomics") + "---atom_add((global long *)a, 1L);"),
    Probe("`float` atomic add", "cl_ext_float_atomics", "3.0",
          "atomic_fetch_add_explicit((volatile global atomic_float *)b, 1.0f, memory_order_relaxed, memory_scope_device);"),
    Probe("`double` atomic add", "cl_ext_float_atomics", "3.0",
          "atomic_fetch_add_explicit((volatile global atomic_double *)b, 1.0, memory_order_relaxed, memory_scope_device);"),
    Probe("sub-groups: `sub_group_reduce_add`", "cl_khr_subgroups", "3.0", _SUBGROUPS + "---a[0] = sub_group_reduce_add(a[1]);"),
    Probe("sub-groups: `sub_group_shuffle`", "cl_khr_subgroup_shuffle", "3.0", "a[0] = sub_group_shuffle(a[1], 3);"),
    Probe("sub-groups: `sub_group_ballot`", "cl_khr_subgroup_ballot", "3.0", "a[0] = sub_group_ballot(a[1]).x;"),
    Probe("sub-groups: `sub_group_non_uniform_any`", "cl_khr_subgroup_non_uniform_vote", "3.0",
          "a[0] = sub_group_non_uniform_any(a[1]);"),
    Probe("Intel's `intel_sub_group_shuffle`", "cl_intel_subgroups", "1.2", "a[0] = intel_sub_group_shuffle(a[1], 3);"),
    Probe("work-group collectives: `work_group_scan_inclusive_add`", "6.15.16", "3.0",
          "a[0] = work_group_scan_inclusive_add(a[1]);"),
    Probe("work-group collectives of `mul` and logic", "cl_khr_work_group_uniform_arithmetic", "3.0",
          "a[0] = work_group_reduce_mul(a[1]);"),
    Probe("named barriers", "cl_khr_subgroup_named_barrier", "2.0",
          _ENABLE.format("cl_khr_subgroup_named_barrier")
          + "---local named_barrier_t *n = named_barrier_init(1); work_group_named_barrier(n, CLK_LOCAL_MEM_FENCE);"),
    Probe("integer dot product", "cl_khr_integer_dot_product", "3.0", "a[0] = dot(as_char4(a[1]), as_char4(a[2]));"),
    Probe("`popcount`", "6.15.3", "1.2", "a[0] = popcount(a[1]);"),
    Probe("bit fields: `bitfield_insert`, `bit_reverse`", "cl_khr_extended_bit_ops", "3.0",
          "a[0] = bitfield_insert(a[1], a[2], 3, 4) + bit_reverse(a[3]);"),
    Probe("2D async copies", "cl_khr_extended_async_copies", "3.0",
          "event_t e = async_work_group_copy_2D2D(c, 0, a, 0, 4, 8, 8, 16, 8, 0); wait_group_events(1, &e);"),
    Probe("device clock: `clock_read_device`", "cl_khr_kernel_clock", "3.0", "a[0] = (int)clock_read_device();"),
    Probe("read-write images", "6.15.15", "3.0",
          "kernel void r(read_write image2d_t i) { write_imagef(i, (int2)(0), read_imagef(i, (int2)(1))); }\n---a[0] = 1;"),
    Probe("writes to 3D images", "6.15.15", "3.0",
          "kernel void r(write_only image3d_t i) { write_imagef(i, (int4)(0), (float4)(1)); }\n---a[0] = 1;"),
    Probe("depth images", "cl_khr_depth_images", "2.0",
          "kernel void r(read_only image2d_depth_t i, global float *o) { o[0] = read_imagef(i, (int2)(0)); }\n---a[0] = 1;"),
    Probe("mip-mapped images: a read of a level", "cl_khr_mipmap_image", "2.0",
          "kernel void r(read_only image2d_t i, sampler_t s, global float4 *o) { o[0] = read_imagef(i, s, (float2)(0), 1.0f); }\n"
          "---a[0] = 1;"),
    Probe("pipes", "6.15.18", "2.0", "kernel void r(read_only pipe int p, global int *o) { read_pipe(p, o); }\n---a[0] = 1;"),
    Probe("`printf`", "6.15.14", "1.2", 'printf("%d %v4f\\n", a[0], (float4)(b[0]));'),
    Probe("device-side enqueue", "6.15.19", "2.0",
          "enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[0] = 1; });"),
    Probe("blocks", "6.14", "2.0", "int (^twice)(int) = ^(int x) { return 2 * x; }; a[0] = twice(a[1]);"),
    Probe("`expect` and `assume`", "cl_khr_expect_assume", "1.2",
          "__builtin_assume(a[0] > 0); if (__builtin_expect(a[1], 0)) a[2] = 1;"),
    Probe("statement expressions", "GNU C", "1.2", "a[0] = ({ int x = a[1]; x * x; });"),
    Probe("`typeof`", "GNU C", "1.2", "__typeof__(1 + 1) x = a[1]; a[0] = x;"),
    Probe("inline PTX", "NVIDIA", "1.2", 'int lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); a[0] = lane;'),
    Probe("`#pragma unroll`", "cl_nv_pragma_unroll", "1.2", "\n#pragma unroll 4\nfor (int i = 0; i < 4; i++) a[i] += i;"),
)
