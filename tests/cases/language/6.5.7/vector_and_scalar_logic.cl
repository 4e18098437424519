// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: 0 -1
kernel void vector_and_scalar_logic(global int2 *out) {
    int2 v = (int2)(0, 9);
    out[0] = v && 1;
}
