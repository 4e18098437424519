// 6.4.6: The rank of an unsigned integer type is greater than the rank of a signed one with the same precision.
// expect: error "greater rank" at line 5
kernel void int_vector_and_unsigned_literal(global int *out) {
    int4 v = (int4)(3);
    v = v + 1u;
}
