// 6.5.5: Equal (==) returns 0 if an argument is NaN; not equal (!=) returns 1, or -1 for vectors.
// expect: valid
// result: -1 0
kernel void nan_vector_inequality(global int2 *out) {
    float2 n = (float2)(NAN, 1);
    out[0] = n != n;
}
