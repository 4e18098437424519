// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type 'float4'" at line 5
kernel void float4_to_float3(global int *out) {
    float4 a = (float4)(1);
    float3 b = a;
}
