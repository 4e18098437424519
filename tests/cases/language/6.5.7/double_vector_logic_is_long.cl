// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: -1 0
kernel void double_vector_logic_is_long(global long2 *out) {
    double2 v = (double2)(0.5, 0);
    out[0] = v || v;
}
