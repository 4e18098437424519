// 6.4.6: The rank of an unsigned integer type is greater than the rank of a signed one with the same precision.
// expect: valid
// result: 3 3
kernel void uint_vector_and_int(global uint2 *out) {
    uint2 v = (uint2)(1);
    int n = 2;
    out[0] = v + n;
}
