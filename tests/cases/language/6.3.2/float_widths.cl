// 6.3.2: Supported values of n are 2, 3, 4, 8, and 16 for all vector data types.
// expect: valid
// result: 8 16 16 32 64
kernel void float_widths(global int *out) {
    out[0] = sizeof(float2); out[1] = sizeof(float3); out[2] = sizeof(float4); out[3] = sizeof(float8); out[4] = sizeof(float16);
}
