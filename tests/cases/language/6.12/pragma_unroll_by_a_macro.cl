// 6.12: A #pragma that is not recognized by the implementation is ignored.
// expect: valid
// result: 6
#define TIMES 2
kernel void pragma_unroll_by_a_macro(global int *out) {
    int sum = 0;
#pragma unroll TIMES
    for (int i = 0; i < 4; i++) sum += i;
    out[0] = sum;
}
