// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: valid
// result: 6
kernel void vector_and_evaluates_both(global int *out) {
    int n = 5;
    int2 zero = (int2)(0);
    int2 r = zero && (int2)(n++);
    out[0] = n + r.x;
}
