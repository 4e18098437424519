// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type 'float2'" at line 6
kernel void float2_to_float4(global int *out) {
    float2 a = (float2)(1);
    float4 b;
    b = a;
}
