// The sum of four products of bytes (6.15.3, cl_khr_integer_dot_product) on CUDA: one instruction, dp4a. The result is signed where
// one of the operands is.

namespace ocl {

__device__ uint dot_4x8packed_uu_uint(uint a, uint b) {
    uint sum;
    asm("dp4a.u32.u32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ int dot_4x8packed_ss_int(uint a, uint b) {
    int sum;
    asm("dp4a.s32.s32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ int dot_4x8packed_us_int(uint a, uint b) {
    int sum;
    asm("dp4a.u32.s32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

__device__ int dot_4x8packed_su_int(uint a, uint b) {
    int sum;
    asm("dp4a.s32.u32 %0, %1, %2, 0;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}

}  // namespace ocl
