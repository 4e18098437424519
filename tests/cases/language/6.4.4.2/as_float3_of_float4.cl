// 6.4.4.2: If the operand is a 4-component vector and the result a 3-component vector, the bits are returned without modification.
// expect: valid
// result: 1.0 2.0 3.0
kernel void as_float3_of_float4(global float *out) {
    float3 g = as_float3((float4)(1, 2, 3, 4));
    out[0] = g.x; out[1] = g.y; out[2] = g.z;
}
