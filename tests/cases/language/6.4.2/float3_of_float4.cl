// 6.4.2: Explicit casts between vector types are not legal.
// expect: error "'float3'" at line 5
kernel void float3_of_float4(global int *out) {
    float4 f = (float4)(1);
    float3 g = (float3) f;
}
