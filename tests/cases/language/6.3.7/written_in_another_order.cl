// 6.3.7: The component group notation can occur on the left hand side of an expression.
// expect: valid
// result: 8.0 2.0 3.0 7.0
kernel void written_in_another_order(global float4 *out) {
    float4 pos = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    pos.wx = (float2)(7.0f, 8.0f);
    out[0] = pos;
}
