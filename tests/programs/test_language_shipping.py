"""What shipping programs lean on, executed: volatile vectors (C99 6.7.3), shuffles (6.15.13), 64-bit atomics by either name (6.15.12.9)."""

from __future__ import annotations

import numpy as np
from support.execute import execute

from cl2cuda.runtime.kernel.kernel import LocalMemory


def test_volatile_vectors(real_device):
    source = """
    typedef struct { int tag; volatile float4 q; } held;
    float4 read(volatile local float4 *p) { return *p; }
    kernel void f(global float4 *out, volatile global float4 *v, volatile local float4 *s) {
        volatile float4 a = v[0], many[2] = {(float4)(1), (float4)(2)};
        volatile int4 n = (int4)(1, 2, 3, 4);
        held h = {1, (float4)(9)};
        s[0] = a * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[0] = read(s);
        a.xy = many[1].zw;
        a += (float4)(10);
        a.w = v[0].x;
        out[1] = a;
        n++;
        n <<= 1;
        out[2] = convert_float4(n);
        out[3] = h.q.x > 8 ? a.wzyx : many[0];
        v[0].hi = a.lo;
        h.q = a;
        out[4] = (float4)(h.q.s3, many[1].xyz);
    }
    """
    out, v = np.zeros(20, np.float32), np.array([1, 2, 3, 4], np.float32)
    execute(real_device, source, out, v, LocalMemory(16))
    assert out.reshape(-1, 4).tolist() == [[2, 4, 6, 8], [12, 12, 13, 1], [4, 6, 8, 10], [1, 13, 12, 12], [1, 2, 2, 2]]
    assert v.tolist() == [1, 2, 12, 12]


def test_shuffles(real_device):
    source = """
    kernel void f(global int *out, uint base) {
        int4 a = (int4)(10, 11, 12, 13), b = (int4)(20, 21, 22, 23);
        uchar2 c = (uchar2)(1, 2);
        vstore4(shuffle(a, (uint4)(3, base, base + 5, 0)), 0, out);
        vstore8(shuffle2(a, b, (uint8)(0, 7, 4, 3, 8, 15, base, 5)), 1, out);
        vstore2(convert_int2(shuffle(c, (uchar2)(1, 0))), 2, out);
        vstore4(convert_int4(shuffle((double2)(1.5, 2.5) * 2, (ulong4)(1, 0, 1, 0))), 4, out);
    }
    """
    out = np.zeros(20, np.int32)
    execute(real_device, source, out, np.uint32(1))
    assert out[:4].tolist() == [13, 11, 12, 10]
    assert out[8:16].tolist() == [10, 23, 20, 13, 10, 23, 11, 21]
    assert out[4:6].tolist() == [2, 1]
    assert out[16:20].tolist() == [5, 3, 5, 3]


def test_64_bit_atomics_by_both_names(real_device):
    source = """
    #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    kernel void f(volatile global long *out) {
        atomic_add(out, (long)get_global_id(0) << 32);
        atom_inc(out + 1);
        atomic_cmpxchg((volatile global ulong *)out + 2, 0ul, 5ul);
        atomic_xchg(out + 3, -1l);
    }
    """
    out = np.zeros(4, np.int64)
    execute(real_device, source, out, size=4)
    assert out.tolist() == [6 << 32, 4, 5, -1]
