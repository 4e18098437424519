// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: -1 -1 -1 0
kernel void vector_or(global int4 *out) {
    int4 a = (int4)(0, 1, 2, 0), b = (int4)(1, 1, 0, 0);
    out[0] = a || b;
}
