// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: valid
// result: -1.0 2.0 -3.0 4.0
kernel void negated_vector(global float4 *out) {
    float4 v = (float4)(1, -2, 3, -4);
    out[0] = -v;
}
