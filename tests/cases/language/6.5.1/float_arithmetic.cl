// 6.5.1: The operators add (+), subtract (-), multiply (*) and divide (/) operate on integer and floating-point scalars.
// expect: valid
// result: 9.0 5.0 14.0 3.5
kernel void float_arithmetic(global float *out) {
    float a = 7, b = 2;
    out[0] = a + b; out[1] = a - b; out[2] = a * b; out[3] = a / b;
}
