// 6.3.7: The component selection syntax allows multiple components to be selected.
// expect: valid
// result: 3.0 4.0 1.0 5.0
kernel void several_components(global float4 *out) {
    float4 c = (float4)(1.0f, 2.0f, 1.0f, 5.0f);
    c.xy = (float2)(3.0f, 4.0f);
    out[0] = c;
}
