// 6.5.15: Any other desired type-conversions must be specified explicitly.
// expect: error "incompatible type" at line 6
kernel void vector_takes_another_vector(global int *out) {
    float4 v;
    int4 i = (int4)(1);
    v = i;
}
