// 6.5.1: The remainder operator (%) operates on integer scalars and vectors.
// expect: valid
// result: 1 -1 1
kernel void int_remainder(global int *out) {
    int a = 7;
    out[0] = a % 3; out[1] = -a % 3; out[2] = a % -3;
}
