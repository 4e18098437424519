// Functions of half (6.15.2, cl_khr_fp16) for which float's own would do too much: one instruction that errs by a few units in float's
// last place, or a polynomial that is as short as half is, stays within the bounds of table 69 for every half.

namespace ocl {

__device__ half exp(half x) { return half_rte(native_exp2(float_of(x) * M_LOG2E_F)); }
__device__ half exp2(half x) { return half_rte(native_exp2(float_of(x))); }
__device__ half exp10(half x) { return half_rte(native_exp2(float_of(x) * 0x1.a934f0p+1f)); }
__device__ half log(half x) { return half_rte(native_log2(float_of(x)) * M_LN2_F); }
__device__ half log2(half x) { return half_rte(native_log2(float_of(x))); }
__device__ half log10(half x) { return half_rte(native_log2(float_of(x)) * 0x1.344136p-2f); }

// What is left of x >= 0 when the nearest multiple of pi / 2 is taken off. x < 65536, so that the first step has no error.
__device__ float rest_of_quarter(float x, int& quarter) {
    float k = ::rintf(x * M_2_PI_F);
    quarter = int(k);
    return ::fmaf(k, 0x1.777a5cp-25f, ::fmaf(k, -M_PI_2_F, x));
}

// Sine and cosine of up to pi / 4.
__device__ float short_sin(float r) {
    float s = r * r;
    return ::fmaf(r * s, ::fmaf(s, ::fmaf(s, -0x1.9f6446p-13f, 0x1.110ea4p-7f), -0x1.555536p-3f), r);
}
__device__ float short_cos(float r) {
    float s = r * r;
    return ::fmaf(s, ::fmaf(s, ::fmaf(s, -0x1.6b5ed4p-10f, 0x1.555346p-5f), -0.5f), 1.0f);
}

// The sine of x >= 0 and so many quarters more.
__device__ float sin_of_quarters(float x, int more) {
    int quarter;
    float r = rest_of_quarter(x, quarter), y = (quarter + more) & 1 ? short_cos(r) : short_sin(r);
    return (quarter + more) & 2 ? -y : y;
}

__device__ half sin(half x) { return {ushort(half_rte(sin_of_quarters(::fabsf(float_of(x)), 0)).bits ^ (x.bits & 0x8000))}; }
__device__ half cos(half x) { return half_rte(sin_of_quarters(::fabsf(float_of(x)), 1)); }

__device__ half sincos(half x, half* cosine) {
    *cosine = cos(x);
    return sin(x);
}

__device__ half tan(half x) {
    int quarter;
    float r = rest_of_quarter(::fabsf(float_of(x)), quarter), s = short_sin(r), c = short_cos(r);
    float t = quarter & 1 ? -c * native_recip(s) : s * native_recip(c);
    return {ushort(half_rte(t).bits ^ (x.bits & 0x8000))};
}

}  // namespace ocl
