// Conversions for which CUDA has no intrinsic.

namespace ocl {

__device__ uchar as_byte(uint i) {
    __builtin_assume(i < 256);
    return (uchar)i;
}

// Clamped, and 0 of a NaN, by one instruction, which is quicker on sm_90 than those to wider integers.
__device__ uchar float_to_uchar_rn(float x) {
    uint i;
    asm("cvt.rni.u8.f32 %0, %1;" : "=r"(i) : "f"(x));
    return as_byte(i);
}

__device__ uchar float_to_uchar_rz(float x) {
    uint i;
    asm("cvt.rzi.u8.f32 %0, %1;" : "=r"(i) : "f"(x));
    return as_byte(i);
}

__device__ uchar float_to_uchar_ru(float x) {
    uint i;
    asm("cvt.rpi.u8.f32 %0, %1;" : "=r"(i) : "f"(x));
    return as_byte(i);
}

__device__ uchar float_to_uchar_rd(float x) {
    uint i;
    asm("cvt.rmi.u8.f32 %0, %1;" : "=r"(i) : "f"(x));
    return as_byte(i);
}

}  // namespace ocl
