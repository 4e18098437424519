// 6.12: A #pragma that is not recognized by the implementation is ignored.
// expect: valid
// result: 6
kernel void pragma_unroll(global int *out) {
    int sum = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) sum += i;
    out[0] = sum;
}
