// 6.5.4: The relational operators always return 0 if either argument is not a number (NaN).
// expect: valid
// result: 0 -1
kernel void nan_vector_relation(global int2 *out) {
    out[0] = (float2)(NAN, 1) < (float2)(2);
}
