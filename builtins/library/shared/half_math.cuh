// Functions of half (6.15.2 to 6.15.6, cl_khr_fp16) that need no arithmetic in float: they look at the bits. All others are
// composed over the forms for float.

namespace ocl {

__device__ half copysign(half x, half y) { return {ushort((x.bits & 0x7fff) | (y.bits & 0x8000))}; }
__device__ half fabs(half x) { return {ushort(x.bits & 0x7fff)}; }
__device__ half nan(ushort code) { return {ushort(0x7e00 | (code & 0x1ff))}; }

// As for float; 1 - 2^-24 is a half's 1, which fract must not return.
__device__ half fract(half x, half* whole) {
    float down;
    half part = half_rte(fract(float_of(x), &down));
    *whole = half_rte(down);
    return part.bits == 0x3c00 ? half{0x3bff} : part;
}

// Halfs of one sign are ordered as their bits are.
__device__ half nextafter(half x, half y) {
    float from = float_of(x), to = float_of(y);
    if (from != from || to != to) return {0x7e00};
    if (from == to) return y;
    if (from == 0) return {ushort((y.bits & 0x8000) | 1)};
    return {ushort((from < to) == (from > 0) ? x.bits + 1 : x.bits - 1)};
}

__device__ int isfinite(half x) { return (x.bits & 0x7c00) != 0x7c00; }
__device__ int isinf(half x) { return (x.bits & 0x7fff) == 0x7c00; }
__device__ int isnan(half x) { return (x.bits & 0x7fff) > 0x7c00; }
__device__ int isnormal(half x) { return isfinite(x) && (x.bits & 0x7c00) != 0; }
__device__ int signbit(half x) { return x.bits >> 15; }

__device__ half bitselect(half a, half b, half c) { return {ushort((a.bits & ~c.bits) | (b.bits & c.bits))}; }

}  // namespace ocl
