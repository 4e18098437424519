// 6.4.6: If the operands are of more than one vector type, then an error shall occur.
// expect: error "invalid operands" at line 6
kernel void float4_and_float2(global int *out) {
    float4 f = (float4)(1);
    float2 g = (float2)(1);
    f = f * g;
}
