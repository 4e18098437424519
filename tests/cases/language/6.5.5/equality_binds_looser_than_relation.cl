// 6.5.5: Scalar equality operators return an int, 0 or 1.
// expect: valid
// result: 1
kernel void equality_binds_looser_than_relation(global int *out) {
    int a = 1, b = 2;
    out[0] = a < b == b > a;
}
