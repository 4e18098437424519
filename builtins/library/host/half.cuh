// Conversions from and to half for the host, in arithmetic that is exact at every step.

namespace ocl {

__device__ float float_of(half x) {
    uint rest = x.bits & 0x7fff, sign = uint(x.bits & 0x8000) << 16;
    // The bits, moved to where float has its own, name a number 2^112 times too small; infinities and NaNs have all exponent bits, and
    // a NaN that it may be quiet the highest of the others.
    uint bits = __builtin_bit_cast(uint, __builtin_bit_cast(float, rest << 13) * 0x1p112f);
    return __builtin_bit_cast(float, sign | (rest < 0x7c00 ? bits : bits | (rest == 0x7c00 ? 0x7f800000 : 0x7fc00000)));
}

// direction: of the magnitude, 0 to the nearest, 1 up, -1 down.
__device__ half half_of(double x, int direction) {
    double a = ::fabs(x);
    ushort sign = ::copysign(1.0, x) < 0 ? 0x8000 : 0;
    // "Conversion of a quiet NaN from a narrower format to a wider format in the same radix, and then back to the same narrower format,
    // should not change the quiet NaN payload in any way except to make it canonical" (IEEE 754-2008, 6.2.3).
    if (a != a) return {ushort(sign | 0x7e00 | (__builtin_bit_cast(long, a) >> 42 & 0x3ff))};
    if (a - a != 0) return {ushort(sign | 0x7c00)};
    // Between 2^e and 2^(e+1) the halfs are 2^(e-10) apart, and not closer than 2^-24 anywhere.
    long exponent = (__builtin_bit_cast(long, a) >> 52) - 1023;
    double unit = __builtin_bit_cast(double, ((exponent < -14 ? -14 : exponent) - 10 + 1023) << 52), n = a / unit;
    double rounded = (direction == 0 ? ::rint(n) : direction > 0 ? ::ceil(n) : ::floor(n)) * unit;
    if (rounded > 65504) return {ushort(sign | (direction < 0 ? 0x7bff : 0x7c00))};
    return {ushort(sign | __builtin_bit_cast(uint, float(rounded) * 0x1p-112f) >> 13)};
}

__device__ half half_rte(float x) { return half_of(x, 0); }
__device__ half half_rtz(float x) { return half_of(x, -1); }
__device__ half half_rtp(float x) { return half_of(x, x > 0 ? 1 : -1); }
__device__ half half_rtn(float x) { return half_of(x, x < 0 ? 1 : -1); }

__device__ half half_rte(double x) { return half_of(x, 0); }
__device__ half half_rtz(double x) { return half_of(x, -1); }
__device__ half half_rtp(double x) { return half_of(x, x > 0 ? 1 : -1); }
__device__ half half_rtn(double x) { return half_of(x, x < 0 ? 1 : -1); }

}  // namespace ocl
