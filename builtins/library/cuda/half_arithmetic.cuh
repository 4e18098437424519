// Half arithmetic by PTX (cl_khr_fp16). `.rn` rounds every operation: without it the assembler may contract, against FP_CONTRACT OFF.

namespace ocl {

__device__ half operator+(half a, half b) {
    half r;
    asm("add.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
}

__device__ half operator-(half a, half b) {
    half r;
    asm("sub.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
}

__device__ half operator*(half a, half b) {
    half r;
    asm("mul.rn.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
}

// The product with the approximate inverse, corrected once, is close enough to the quotient for half's rounding: that is never nearer
// than 2^-23 of itself to the middle of two halfs. Where zeros and infinities meet, the correction is no number or has no sign.
__device__ half operator/(half a, half b) {
    float x = float_of(a), y = float_of(b), inverse = native_recip(y), q = x * inverse, corrected = ::fmaf(::fmaf(-q, y, x), inverse, q);
    return half_rte(corrected == corrected && x != 0 ? corrected : q);
}

__device__ half fma(half a, half b, half c) {
    half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}

__device__ half mad(half a, half b, half c) { return fma(a, b, c); }

// "If one argument is a NaN, fmax() returns the other argument", as the instruction does.
__device__ half fmax(half a, half b) {
    #if __CUDA_ARCH__ >= 800
    half r;
    asm("max.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
    #else
    return half_rte(::fmaxf(float_of(a), float_of(b)));
    #endif
}

__device__ half fmin(half a, half b) {
    #if __CUDA_ARCH__ >= 800
    half r;
    asm("min.f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));
    return r;
    #else
    return half_rte(::fminf(float_of(a), float_of(b)));
    #endif
}

}  // namespace ocl
