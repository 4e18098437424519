// 6.5.1: The operators work on every built-in integer type, after promotion.
// expect: valid
// result: 300 -100 20000 2
kernel void uchar_arithmetic(global int *out) {
    uchar a = 100, b = 200;
    out[0] = a + b; out[1] = a - b; out[2] = a * b; out[3] = b / a;
}
