// 6.12: CL_VERSION_1_0, 1_1, 1_2 substitute 100, 110, 120.
// expect: valid
// result: 100 110 120
kernel void version_macros(global int *out) {
    out[0] = CL_VERSION_1_0; out[1] = CL_VERSION_1_1; out[2] = CL_VERSION_1_2;
}
