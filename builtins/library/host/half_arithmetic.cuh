// Half arithmetic on the host: sums and products of halfs are exact in float, or are rounded to bits enough that rounding again does not show,
// and so are quotients: float has more than twice half's bits, and two. Where the processor converts, an operation is a few instructions, and
// GCC takes 9 seconds instead of 38 for a kernel of a thousand operations. Conversions by themselves are as in `half.cuh`, whose
// arithmetic GCC vectorizes across work-items.

namespace ocl {

__device__ float widened(half x) {
    #ifdef __F16C__
    typedef short halfs __attribute__((vector_size(16)));
    return __builtin_ia32_vcvtph2ps(halfs{short(x.bits)})[0];
    #else
    return float_of(x);
    #endif
}

__device__ half narrowed(float x) {
    #ifdef __F16C__
    typedef float floats __attribute__((vector_size(16)));
    return {ushort(__builtin_ia32_vcvtps2ph(floats{x}, 0)[0])};
    #else
    return half_rte(x);
    #endif
}

__device__ half operator+(half a, half b) { return narrowed(widened(a) + widened(b)); }
__device__ half operator-(half a, half b) { return narrowed(widened(a) - widened(b)); }
__device__ half operator*(half a, half b) { return narrowed(widened(a) * widened(b)); }
__device__ half operator/(half a, half b) { return narrowed(widened(a) / widened(b)); }

// By a float that is rounded to odd: it has more than twice half's bits, and two.
__device__ half narrowed(double x) {
    #ifdef __F16C__
    long bits = __builtin_bit_cast(long, x), low = bits & 0x1fffffff;
    return narrowed((float)__builtin_bit_cast(double, bits - low | (low ? 0x20000000 : 0)));
    #else
    return half_rte(x);
    #endif
}

// The product is exact, and where the sum is not, no half lies so near to the middle of two others that rounding it twice shows.
__device__ half fma(half a, half b, half c) { return narrowed((double)widened(a) * (double)widened(b) + (double)widened(c)); }

__device__ half mad(half a, half b, half c) { return fma(a, b, c); }

}  // namespace ocl
