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

}  // namespace ocl
