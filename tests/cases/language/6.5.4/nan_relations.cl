// 6.5.4: The relational operators always return 0 if either argument is not a number (NaN).
// expect: valid
// result: 0 0 0 0
kernel void nan_relations(global int *out) {
    float n = NAN;
    out[0] = n < 1; out[1] = n > 1; out[2] = n <= n; out[3] = n >= 1;
}
