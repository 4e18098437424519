// 6.5.4: Scalar relational operators return an int, 0 or 1.
// expect: valid
// result: 0 0 1 1
kernel void relation_of_equals(global int *out) {
    int a = 3;
    out[0] = a < 3; out[1] = a > 3; out[2] = a <= 3; out[3] = a >= 3;
}
