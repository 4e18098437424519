// 6.3.7: The component selection syntax also allows components to be permuted or replicated.
// expect: valid
// result: 1.0 1.0 2.0 2.0
kernel void replicated(global float4 *out) {
    float4 pos = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    out[0] = pos.xxyy;
}
