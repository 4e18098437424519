// 6.4.6: The rank of an unsigned integer type is greater than the rank of a signed one with the same precision.
// expect: error "greater rank" at line 6
kernel void int_vector_and_uint(global int *out) {
    int4 v = (int4)(1);
    uint n = 2;
    v = v + n;
}
