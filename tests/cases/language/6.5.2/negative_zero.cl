// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: 1
kernel void negative_zero(global int *out) {
    float z = 0.0f;
    out[0] = as_uint(-z) == 0x80000000;
}
