// 6.5.4: All other cases of implicit conversions are illegal.
// expect: error "invalid operands" at line 6
kernel void relation_of_two_vector_types(global int *out) {
    int4 a = (int4)(1);
    float4 b = (float4)(1);
    a = a < b;
}
