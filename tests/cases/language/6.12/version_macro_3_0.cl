// 6.12: CL_VERSION_1_0, 1_1, 1_2 substitute 100, 110, 120.
// expect: valid
// result: 300
// options: -cl-std=CL3.0
kernel void version_macro_3_0(global int *out) {
    out[0] = CL_VERSION_3_0;
}
