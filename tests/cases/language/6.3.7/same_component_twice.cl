// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: error "duplicate components" at line 5
kernel void same_component_twice(global int *out) {
    float4 pos;
    pos.xx = (float2)(3.0f, 4.0f);
}
