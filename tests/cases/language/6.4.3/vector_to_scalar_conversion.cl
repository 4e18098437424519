// 6.4.3: The number of elements in the source and destination vectors must match.
// expect: error "convert_int" at line 5
kernel void vector_to_scalar_conversion(global int *out) {
    float2 f = (float2)(1);
    int c = convert_int(f);
}
