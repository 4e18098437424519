// 6.4.3: The number of elements in the source and destination vectors must match.
// expect: error "convert_int4" at line 5
kernel void scalar_to_vector_conversion(global int *out) {
    uchar u = 1;
    int4 c = convert_int4(u);
}
