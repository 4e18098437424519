// 6.5.4: Scalar relational operators return an int, 0 or 1.
// expect: valid
// result: 0 1 0 1
kernel void float_relations(global int *out) {
    float a = 1.5f, b = -2;
    out[0] = a < b; out[1] = a > b; out[2] = a <= b; out[3] = a >= b;
}
