// 6.5.4: Scalar relational operators return an int, 0 or 1.
// expect: valid
// result: 4
kernel void relation_has_type_int(global int *out) {
    out[0] = sizeof(1.0 < 2.0);
}
