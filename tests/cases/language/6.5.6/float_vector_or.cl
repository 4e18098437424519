// 6.5.6: Except the built-in scalar and vector float types.
// expect: error "invalid operands" at line 5
kernel void float_vector_or(global int *out) {
    float4 a = (float4)(1);
    a = a | a;
}
