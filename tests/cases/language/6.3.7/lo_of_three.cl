// 6.3.7: .lo and .hi of a 3-component vector operate as if it were a 4-component vector with w undefined.
// expect: valid
// result: 1.0 2.0
kernel void lo_of_three(global float2 *out) {
    float3 vf = (float3)(1.0f, 2.0f, 3.0f);
    out[0] = vf.lo;
}
