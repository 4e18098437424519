kernel void builtins(global float *out, float4 a, float b, uint i, uchar4 c, global int *counter, double d) {
    float4 r = clamp(a, 0.0f, 1.0f) + fmax(a, b) + mix(a, a, 0.5f) + native_sin(a);
    int4 n = convert_int4_sat_rte(a) + as_int4(a);
    r += convert_float4(c) + vload4(0, out) + select(a, r, n);
    out[0] = dot(r, a) + length(r) + fma(b, b, 1.0f) + popcount(i) + mul24(3, 4) + pow(b, 2);
    out[1] = sqrt(d) + M_PI_F + any(n) + isnan(b);
    vstore4(r, get_global_id(0), out);
    atomic_add(counter, 1);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    printf("%d %f\n", n.x, b);
}

// Translated:
//| __global__ void builtins(float *out, float4 a, float b, uint i, uchar4 c, int *counter, double d) {
//|     float4 r = clamp(a, 0.0f, 1.0f) + fmax(a, b) + mix(a, a, 0.5f) + native_sin(a);
//|     int4 n = convert_int4_sat_rte(a) + as_int4(a);
//|     r += convert_float4(c) + vload4_global(0, out) + select(a, r, n);
//|     out[0] = dot(r, a) + length(r) + fma(b, b, 1.0f) + popcount(i) + mul24(3, 4) + pow(b, 2.0f);
//|     out[1] = sqrt(d) + M_PI_F + any(n) + isnan(b);
//|     vstore4_global(r, get_global_id(0), out);
//|     atomic_add(counter, 1);
//|     mem_fence(CLK_GLOBAL_MEM_FENCE);
//|     printf("%d %f\n", n.x, b);
//| }
