// 6.4.6: The rank of an unsigned integer type is greater than the rank of a signed one with the same precision.
// expect: error "greater rank" at line 6
kernel void short_vector_and_ushort(global int *out) {
    short4 v = (short4)(3);
    ushort m = 1;
    v = v + m;
}
