// Conversions from and to half, by PTX: cuda_fp16.h would cost more to parse than most kernels.

namespace ocl {

__device__ float float_of(half x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
}

__device__ half half_rte(float x) {
    half y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
}

__device__ half half_rte(double x) {
    half y;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(y.bits) : "d"(x));
    return y;
}

__device__ half half_rtz(float x) {
    half y;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
}

__device__ half half_rtz(double x) {
    half y;
    asm("cvt.rz.f16.f64 %0, %1;" : "=h"(y.bits) : "d"(x));
    return y;
}

__device__ half half_rtp(float x) {
    half y;
    asm("cvt.rp.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
}

__device__ half half_rtp(double x) {
    half y;
    asm("cvt.rp.f16.f64 %0, %1;" : "=h"(y.bits) : "d"(x));
    return y;
}

__device__ half half_rtn(float x) {
    half y;
    asm("cvt.rm.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
    return y;
}

__device__ half half_rtn(double x) {
    half y;
    asm("cvt.rm.f16.f64 %0, %1;" : "=h"(y.bits) : "d"(x));
    return y;
}

}  // namespace ocl
