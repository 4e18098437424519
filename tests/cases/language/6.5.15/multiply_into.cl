// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression.
// expect: valid
// result: 7.5
kernel void multiply_into(global float *out) {
    float a = 2.5f;
    a *= 3;
    out[0] = a;
}
