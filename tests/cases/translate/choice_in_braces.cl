kernel void choice_in_braces(global float4 *out, int i, float x) {
    float4 v[2] = { i ? (float4)(1, 2, 3, x) : (float4)(0), i > 1 ? (float4)(x) : out[1] };
    out[0] = v[i] + (i ? (float4)(1) : (float4)(x, 0, 0, 0));
}

// Translated:
//| __global__ void choice_in_braces(float4 *out, int i, float x) {
//|     float4 v[2] = {i ? join<float4>(1.0f, 2.0f, 3.0f, x) : splat<float4>(0.0f), i > 1 ? splat<float4>(x) : out[1]};
//|     out[0] = v[i] + (i ? float4{1.0f, 1.0f, 1.0f, 1.0f} : float4{x, 0.0f, 0.0f, 0.0f});
//| }
