// 6.5.1: The operators add (+), subtract (-), multiply (*) and divide (/) operate on integer and floating-point scalars.
// expect: valid
// result: 4294967297 4294967293 8589934590 2147483647
kernel void long_arithmetic(global long *out) {
    long a = 4294967295, b = 2;
    out[0] = a + b; out[1] = a - b; out[2] = a * b; out[3] = a / b;
}
