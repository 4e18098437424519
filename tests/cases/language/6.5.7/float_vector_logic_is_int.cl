// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: -1 0
kernel void float_vector_logic_is_int(global int2 *out) {
    float2 v = (float2)(0.5f, 0);
    out[0] = v && v;
}
