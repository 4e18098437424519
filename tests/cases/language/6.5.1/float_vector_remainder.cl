// 6.5.1: The remainder operator (%) operates on integer scalars and vectors.
// expect: error "invalid operands" at line 5
kernel void float_vector_remainder(global int *out) {
    float4 a = (float4)(7);
    a = a % a;
}
