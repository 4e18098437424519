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

// float has more than twice half's bits, so that rounding to it first changes nothing.
__device__ half operator/(half a, half b) { return half_rte(__fdiv_rn(float_of(a), float_of(b))); }

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
