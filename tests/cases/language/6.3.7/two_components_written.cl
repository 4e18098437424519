// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 5.0 2.0 3.0 6.0
kernel void two_components_written(global float4 *out) {
    float4 pos = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    pos.xw = (float2)(5.0f, 6.0f);
    out[0] = pos;
}
