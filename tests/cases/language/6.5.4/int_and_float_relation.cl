// 6.5.4: Comparisons of integers and floating-point numbers happen in floating point.
// expect: valid
// result: 1 0
kernel void int_and_float_relation(global int *out) {
    int a = 1;
    out[0] = a < 1.5f; out[1] = a > 1.5f;
}
