// Conversions from and to half for the host, in arithmetic that is exact at every step.

namespace ocl {

__device__ float float_of(half x) {
    uint rest = x.bits & 0x7fff, sign = uint(x.bits & 0x8000) << 16;
    // The bits, moved to where float has its own, name a number 2^112 times too small; infinities and NaNs have all exponent bits, and
    // a NaN that it may be quiet the highest of the others.
    uint bits = __builtin_bit_cast(uint, __builtin_bit_cast(float, rest << 13) * 0x1p112f);
    return __builtin_bit_cast(float, sign | (rest < 0x7c00 ? bits : bits | (rest == 0x7c00 ? 0x7f800000 : 0x7fc00000)));
}

// Between 2^e and 2^(e+1) the halfs are 2^(e-10) apart, and not closer than 2^-24 anywhere: how many of these steps make one.
__device__ double half_steps(double x) {
    long exponent = (__builtin_bit_cast(long, ::fabs(x)) >> 52) - 1023;
    return __builtin_bit_cast(double, (10 - (exponent < -14 ? -14 : exponent) + 1023) << 52);
}

// x, rounded to so many of its steps; `beyond` is what numbers become that are larger than any half. It has no branches: GCC takes two
// seconds for sixteen directed roundings with branches, which are inlined, and a quarter of one without.
__device__ half half_of(double x, double steps, uint beyond) {
    double step = __builtin_bit_cast(double, (2046l << 52) - __builtin_bit_cast(long, half_steps(x)));
    double a = ::fabs(x), rounded = ::fabs(steps * step);
    uint bits = __builtin_bit_cast(uint, float(rounded < 65536 ? rounded : 65536) * 0x1p-112f) >> 13;
    bits = rounded > 65504 ? beyond : bits;
    bits = a - a != 0 ? 0x7c00 : bits;
    // "Conversion of a quiet NaN from a narrower format to a wider format in the same radix, and then back to the same narrower format,
    // should not change the quiet NaN payload in any way except to make it canonical" (IEEE 754-2008, 6.2.3).
    bits = a != a ? 0x7e00 | (__builtin_bit_cast(long, a) >> 42 & 0x3ff) : bits;
    return {ushort(bits | (__builtin_bit_cast(long, x) >> 48 & 0x8000))};
}

__device__ half half_rte(double x) { return half_of(x, ::rint(x * half_steps(x)), 0x7c00); }
__device__ half half_rtz(double x) { return half_of(x, ::trunc(x * half_steps(x)), 0x7bff); }
__device__ half half_rtp(double x) { return half_of(x, ::ceil(x * half_steps(x)), x < 0 ? 0x7bff : 0x7c00); }
__device__ half half_rtn(double x) { return half_of(x, ::floor(x * half_steps(x)), x < 0 ? 0x7c00 : 0x7bff); }

__device__ half half_rte(float x) { return half_rte((double)x); }
__device__ half half_rtz(float x) { return half_rtz((double)x); }
__device__ half half_rtp(float x) { return half_rtp((double)x); }
__device__ half half_rtn(float x) { return half_rtn((double)x); }

}  // namespace ocl
