// Functions of half (6.15.2, cl_khr_fp16) for which float's own would do too much: one instruction that errs by a few units in float's
// last place, or a polynomial that is as short as half is, stays within the bounds of table 69 for every half.

namespace ocl {

__device__ half exp(half x) { return half_rte(native_exp2(float_of(x) * M_LOG2E_F)); }
__device__ half exp2(half x) { return half_rte(native_exp2(float_of(x))); }
__device__ half exp10(half x) { return half_rte(native_exp2(float_of(x) * 0x1.a934f0p+1f)); }
__device__ half log(half x) { return half_rte(native_log2(float_of(x)) * M_LN2_F); }
__device__ half log2(half x) { return half_rte(native_log2(float_of(x))); }
__device__ half log10(half x) { return half_rte(native_log2(float_of(x)) * 0x1.344136p-2f); }

__device__ half sin(half x) { return half_rte(sin_of_angle(float_of(x))); }
__device__ half cos(half x) { return half_rte(cos_of_angle(float_of(x))); }

__device__ half sincos(half x, half* cosine) {
    *cosine = cos(x);
    return sin(x);
}

__device__ half tan(half x) { return half_rte(tan_of_angle(float_of(x))); }

}  // namespace ocl
