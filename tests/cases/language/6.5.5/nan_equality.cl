// 6.5.5: Equal (==) returns 0 if an argument is NaN; not equal (!=) returns 1, or -1 for vectors.
// expect: valid
// result: 0 1
kernel void nan_equality(global int *out) {
    float n = NAN;
    out[0] = n == n; out[1] = n != n;
}
