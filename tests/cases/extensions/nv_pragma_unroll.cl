// 6.15: cl_nv_pragma_unroll: #pragma unroll says how often a loop is to be unrolled.
// expect: valid
// result: 45 45 45
kernel void nv_pragma_unroll(global int *out) {
    #pragma unroll
    for (int i = 0; i < 10; i++) out[0] += i;
    #pragma unroll 4
    for (int i = 0; i < 10; i++) out[1] += i;
    #pragma unroll 1
    for (int i = 0; i < 10; i++) out[2] += i;
}
