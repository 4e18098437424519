// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: 0 -1 0 -1
kernel void vector_and(global int4 *out) {
    int4 a = (int4)(0, 1, 2, 3), b = (int4)(1, 1, 0, 7);
    out[0] = a && b;
}
