// Products of matrices by a sub-group (cl_intel_subgroup_matrix_multiply_accumulate) on CUDA: by tensor cores, where all lanes of the
// warp are here together.
//
// Tensor cores take the matrices of a warp, in pieces that its lanes hold: fragments. Sub-groups are parts of a warp, of 16 lanes or
// of 8, each with matrices of its own; so one instruction serves one sub-group, and all lanes hold fragments for it. The transposed
// product is what fits, columns of b being the rows of mma's first operand: 16 columns, 8 rows of a.
//
// Between the form in OpenCL and the fragments lie exchanges: a bit of the lane's number changes places with a bit of the register's.
// Comments name what the bits count: s the sub-group of the warp, n the column, m the row, k the place in a row of a, in words, or in
// half words with the first bit inside a register. "lanes (s n2 n1 n0), registers (k2 k1 k0)" has the highest bit first. The order
// of products is the same for a and b, whatever it is: lane % 4 = (k1 k0) everywhere.

namespace ocl {

// A choice that NVRTC does not make a branch of: the shuffle behind it would be in two.
__device__ uint chosen(uint condition, uint x, uint y) {
    uint r;
    asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; selp.b32 %0, %2, %3, p; }" : "=r"(r) : "r"(condition), "r"(x), "r"(y));
    return r;
}

template<uint LaneBit, uint RegisterBit, uint R> __device__ void exchange_bits(uint (&r)[R]) {
    const uint upper = lane_of_warp() & LaneBit;
    #pragma unroll
    for (uint i = 0; i < R; i++) {
        if (i & RegisterBit) continue;
        const uint there = __shfl_xor_sync(all_lanes, chosen(upper, r[i], r[i | RegisterBit]), LaneBit);
        r[i] = chosen(upper, there, r[i]);
        r[i | RegisterBit] = chosen(upper, r[i | RegisterBit], there);
    }
}

// The same with the bit that tells the halves of a register.
template<uint LaneBit> __device__ void exchange_halves(uint (&r)[4]) {
    const uint upper = lane_of_warp() & LaneBit;
    const uint given = chosen(upper, 0x5410, 0x7632), first = chosen(upper, 0x3254, 0x5410), second = chosen(upper, 0x3276, 0x7610);
    #pragma unroll
    for (uint i = 0; i < 4; i += 2) {
        const uint there = __shfl_xor_sync(all_lanes, __byte_perm(r[i], r[i + 1], given), LaneBit);
        r[i] = __byte_perm(r[i], there, first);
        r[i + 1] = __byte_perm(r[i + 1], there, second);
    }
}

// sums += first * second, of 16 rows and 8 columns. Lane l has of the sums columns l % 4 * 2 and the next, of rows l / 4 and 8 below;
// of the operands row, or column, l / 4 (and row 8 below), words l % 4 and the fourth behind.
//: matrix_product
#if __CUDA_ARCH__ >= 800
#define OCL_MATRIX_PRODUCT(first, second, shape, sum, letter) \
    __device__ void matrix_product(first, second, sum (&d)[4], uint a0, uint a1, uint a2, uint a3, uint b0, uint b1) { \
        asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                     : "+" letter(d[0]), "+" letter(d[1]), "+" letter(d[2]), "+" letter(d[3]) \
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1)); \
    }
OCL_MATRIX_PRODUCT(matrix_f16, matrix_f16, "m16n8k16.row.col.f32.f16.f16.f32", float, "f")
OCL_MATRIX_PRODUCT(matrix_bf16, matrix_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
OCL_MATRIX_PRODUCT(matrix_i8, matrix_i8, "m16n8k32.row.col.s32.s8.s8.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_i8, matrix_u8, "m16n8k32.row.col.s32.s8.u8.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_u8, matrix_i8, "m16n8k32.row.col.s32.u8.s8.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_u8, matrix_u8, "m16n8k32.row.col.s32.u8.u8.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_i4, matrix_i4, "m16n8k64.row.col.s32.s4.s4.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_i4, matrix_u4, "m16n8k64.row.col.s32.s4.u4.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_u4, matrix_i4, "m16n8k64.row.col.s32.u4.s4.s32", int, "r")
OCL_MATRIX_PRODUCT(matrix_u4, matrix_u4, "m16n8k64.row.col.s32.u4.u4.s32", int, "r")
#undef OCL_MATRIX_PRODUCT
#endif

// Two sub-groups of 16: a's parts are half words, a row of mma's first operand is lanes (n1 n3 n2) below n0.
//: matrix_mad_16
template<class EA, class EB, class S>
__device__ void matrix_mad_16(const uint (&rows)[8], const uint (&column)[8], S (&sums)[8]) {
    uint a[4], b[8], c[8];
    #pragma unroll
    for (uint i = 0; i < 4; i++) a[i] = __byte_perm(rows[2 * i], rows[2 * i + 1], 0x5410);  // lanes (s k3 k2 k1 k0), registers (m2 m1 m0)
    exchange_bits<16, 2>(a);
    exchange_bits<8, 1>(a);
    exchange_halves<4>(a);  // lanes (m2 m1 m0 k1 k0), registers (s k3 k2)
    #pragma unroll
    for (uint i = 0; i < 8; i++)  // lanes (s n3 n2 n1 n0), from registers (k3 k2 k1 k0) to (k3 k0 k1 k2)
        b[i] = __byte_perm(column[i & 5], column[i | 2], i & 2 ? 0x7632 : 0x5410);
    exchange_bits<1, 2>(b);
    exchange_bits<2, 1>(b);
    exchange_bits<16, 1>(b);  // lanes (n1 n3 n2 k1 k0), registers (k3 n0 s k2)
    #pragma unroll
    for (uint i = 0; i < 8; i++) c[i] = __builtin_bit_cast(uint, sums[i]);  // lanes (s n3 n2 n1 n0), registers (m2 m1 m0)
    exchange_bits<1, 2>(c);
    exchange_bits<2, 4>(c);
    exchange_bits<16, 4>(c);  // lanes (n1 n3 n2 m2 m1), registers (s n0 m0)
    #pragma unroll
    for (uint s = 0; s < 2; s++) {
        S d[4];
        for (uint i = 0; i < 4; i++) d[i] = __builtin_bit_cast(S, c[4 * s + i]);
        matrix_product(EB(), EA(), d, b[s], b[s + 2], b[s + 4], b[s + 6], a[2 * s], a[2 * s + 1]);
        for (uint i = 0; i < 4; i++) c[4 * s + i] = __builtin_bit_cast(uint, d[i]);
    }
    exchange_bits<16, 4>(c);
    exchange_bits<2, 4>(c);
    exchange_bits<1, 2>(c);
    #pragma unroll
    for (uint i = 0; i < 8; i++) sums[i] = __builtin_bit_cast(S, c[i]);
}

// Four sub-groups of 8: a's parts are words, and each product fills half of mma's rows.
//: matrix_mad_8
template<class EA, class EB, class S>
__device__ void matrix_mad_8(const uint (&rows)[8], const uint (&column)[8], S (&sums)[8]) {
    uint a[8], b[8], c[8];
    #pragma unroll
    for (uint i = 0; i < 8; i++) {
        a[i] = rows[i];                             // lanes (s1 s0 k2 k1 k0), registers (m2 m1 m0)
        b[i] = column[i];                           // lanes (s1 s0 n2 n1 n0), registers (k2 k1 k0)
        c[i] = __builtin_bit_cast(uint, sums[i]);   // lanes (s1 s0 n2 n1 n0), registers (m2 m1 m0)
    }
    exchange_bits<16, 4>(a);
    exchange_bits<8, 2>(a);
    exchange_bits<4, 1>(a);  // lanes (m2 m1 m0 k1 k0), registers (s1 s0 k2)
    exchange_bits<1, 1>(b);
    exchange_bits<2, 2>(b);
    exchange_bits<8, 1>(b);
    exchange_bits<16, 2>(b);  // lanes (n1 n0 n2 k1 k0), registers (k2 s1 s0)
    exchange_bits<1, 2>(c);
    exchange_bits<2, 4>(c);
    exchange_bits<8, 2>(c);
    exchange_bits<16, 4>(c);  // lanes (n1 n0 n2 m2 m1), registers (s1 s0 m0)
    #pragma unroll
    for (uint s = 0; s < 4; s++) {
        S d[4] = {__builtin_bit_cast(S, c[2 * s]), __builtin_bit_cast(S, c[2 * s + 1]), 0, 0};
        matrix_product(EB(), EA(), d, b[s], 0, b[s + 4], 0, a[2 * s], a[2 * s + 1]);
        c[2 * s] = __builtin_bit_cast(uint, d[0]);
        c[2 * s + 1] = __builtin_bit_cast(uint, d[1]);
    }
    exchange_bits<16, 4>(c);
    exchange_bits<8, 2>(c);
    exchange_bits<2, 4>(c);
    exchange_bits<1, 2>(c);
    #pragma unroll
    for (uint i = 0; i < 8; i++) sums[i] = __builtin_bit_cast(S, c[i]);
}

// Where some of the warp's lanes are not here, or were never there.
//: matrix_mad_aside
template<uint N, class EA, class EB, class Acc, class A, class B, class C>
__device__ __noinline__ C matrix_mad_aside(A a, B b, C acc) {
    const sub_group_tile<N> tile;
    return matrix_column_of<N, EA, EB, Acc, A>([&](uint i) { return of_lane(own_lanes(tile), a, i, tile); }, b, acc);
}

// Lanes that find the whole warp here all find it, so that all of them go on to what the whole warp does.
//: matrix_mad
template<uint N, class EA, class EB, class Acc, class A, class B, class C>
__device__ C matrix_mad(A a, B b, C acc) {
#if __CUDA_ARCH__ >= 800
    if (__activemask() == all_lanes) {
        using sum_of = matrix_sum<Acc>;
        constexpr uint M = sizeof(A) * N / 32;
        const matrix_part<N, A> part = __builtin_bit_cast(decltype(part), a);
        const matrix_column column = __builtin_bit_cast(matrix_column, b);
        matrix_sums<typename sum_of::element, M> result = __builtin_bit_cast(decltype(result), acc);
        uint rows[8] = {};
        typename sum_of::type sums[8] = {};
        #pragma unroll
        for (uint m = 0; m < M; m++) {
            rows[m] = part.of[m];
            sums[m] = sum_of::from(result.of[m]);
        }
        if constexpr (N == 8) matrix_mad_8<EA, EB>(rows, column.of, sums);
        else matrix_mad_16<EA, EB>(rows, column.of, sums);
        #pragma unroll
        for (uint m = 0; m < M; m++) result.of[m] = sum_of::to(sums[m]);
        return __builtin_bit_cast(C, result);
    }
#endif
    return matrix_mad_aside<N, EA, EB, Acc>(a, b, acc);
}

}  // namespace ocl
