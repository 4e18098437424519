// 6.5.4: Scalar relational operators return an int, 0 or 1.
// expect: valid
// result: 0
kernel void unsigned_relation(global int *out) {
    uint a = 0xffffffff;
    out[0] = a < 1;
}
