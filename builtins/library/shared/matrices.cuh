// Products of matrices by a sub-group (cl_intel_subgroup_matrix_multiply_accumulate): "each work item contributes part of this
// matrix" a, which has M rows, "one column" of b, and one column of the sums. A row of a, and a column of b, has 256 bits.

namespace ocl {

// The elements that fit in a word, the first in its lowest bits.
struct matrix_i8 {
    static constexpr uint element_bits = 8;
    __device__ static int of(uint word, uint i) { return (int)(word << (24 - 8 * i)) >> 24; }
};
struct matrix_u8 {
    static constexpr uint element_bits = 8;
    __device__ static int of(uint word, uint i) { return (int)(word >> 8 * i & 0xff); }
};
struct matrix_i4 {
    static constexpr uint element_bits = 4;
    __device__ static int of(uint word, uint i) { return (int)(word << (28 - 4 * i)) >> 28; }
};
struct matrix_u4 {
    static constexpr uint element_bits = 4;
    __device__ static int of(uint word, uint i) { return (int)(word >> 4 * i & 0xf); }
};
struct matrix_f16 {
    static constexpr uint element_bits = 16;
    __device__ static float of(uint word, uint i) { return float_of(half{(ushort)(word >> 16 * i)}); }
};
struct matrix_bf16 {
    static constexpr uint element_bits = 16;
    __device__ static float of(uint word, uint i) { return __builtin_bit_cast(float, word >> 16 * i << 16); }
};

// What sums are kept in between, by the type of their elements.
template<class T> struct matrix_sum {
    using type = T;
    using element = T;
    __device__ static T from(T x) { return x; }
    __device__ static T to(T sum) { return sum; }
};
template<> struct matrix_sum<half> {
    using type = float;
    using element = half;
    __device__ static float from(half x) { return float_of(x); }
    __device__ static half to(float sum) { return half_rte(sum); }
};
template<> struct matrix_sum<matrix_bf16> {
    using type = float;
    using element = short;
    __device__ static float from(short x) { return matrix_bf16::of((ushort)x, 0); }
    __device__ static short to(float sum) {
        const uint pattern = __builtin_bit_cast(uint, sum);
        return (short)((sum != sum ? pattern | 0x400000 : pattern + 0x7fff + (pattern >> 16 & 1)) >> 16);
    }
};

__device__ float matrix_add(float product, float sum) { return product + sum; }
__device__ int matrix_add(int product, int sum) { return (int)((uint)product + (uint)sum); }

// A work-item's part of a, by rows: 32 bits of each in a sub-group of 8, 16 bits in one of 16.
template<uint N, class A> struct matrix_part {
    ushort of[sizeof(A) / 2];
};
template<class A> struct matrix_part<8, A> {
    uint of[sizeof(A) / 4];
};
struct matrix_column {
    uint of[8];
};
template<class T, uint M> struct matrix_sums {
    T of[M];
};

// The work-item's column of the result, from each work-item's part of a.
//: matrix_column_of
template<uint N, class EA, class EB, class Acc, class A, class B, class C, class F>
__device__ C matrix_column_of(F part_of, B b, C acc) {
    using sum_of = matrix_sum<Acc>;
    constexpr uint M = sizeof(A) * N / 32;
    const matrix_column column = __builtin_bit_cast(matrix_column, b);
    matrix_sums<typename sum_of::element, M> sums = __builtin_bit_cast(decltype(sums), acc);
    typename sum_of::type result[M];
    for (uint m = 0; m < M; m++) result[m] = sum_of::from(sums.of[m]);
    for (uint i = 0; i < N; i++) {
        const matrix_part<N, A> part = __builtin_bit_cast(decltype(part), part_of(i));
        const uint word = N == 8 ? column.of[i] : column.of[i / 2] >> 16 * (i % 2);
        for (uint m = 0; m < M; m++)
            for (uint e = 0; e < 256 / N / EA::element_bits; e++)
                result[m] = matrix_add(EA::of(part.of[m], e) * EB::of(word, e), result[m]);
    }
    for (uint m = 0; m < M; m++) sums.of[m] = sum_of::to(result[m]);
    return __builtin_bit_cast(C, sums);
}

}  // namespace ocl
