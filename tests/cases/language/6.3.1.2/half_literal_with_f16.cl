// 6.3.1.2: If the cl_khr_fp16 extension is supported, the suffix h makes a literal a half; clang takes that of _Float16, too.
// expect: valid
// result: 2 1 1 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void half_literal_with_f16(global int *out) {
    half one = 1.0f16;
    out[0] = sizeof(2.F16);
    out[1] = one == 1.0h;
    out[2] = 0x1p-14f16 == 0x1p-14h;
    out[3] = .5f16 + 1e0f16 == 1.5h;
}
