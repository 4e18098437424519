// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 2.0 6.0
kernel void vector_multiply_into(global float2 *out) {
    float2 v = (float2)(1, 2);
    v *= (float2)(2, 3);
    out[0] = v;
}
