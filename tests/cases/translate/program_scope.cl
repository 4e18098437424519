__constant int table[2][3] = {{1, 2, 3}, {4, 5}};
constant float4 colors[] = { (float4)(1, 0, 0, 1), {0.5f, 0.5f, 0.5f, 1} };
constant char text[] = "abc";
constant float *constant nowhere = 0;

float weigh(constant float *w, int i) { return w[i]; }

kernel void program_scope(global float *out, constant float *w) {
    constant int offsets[2] = {1, 2};
    out[0] = table[1][2] + colors[0].x + text[1] + weigh(w, offsets[1]);
}

// Translated:
//| __constant__ const int table[2][3] = {{1, 2, 3}, {4, 5}};
//| __constant__ const float4 colors[2] = {float4{1.0f, 0.0f, 0.0f, 1.0f}, float4{0.5f, 0.5f, 0.5f, 1.0f}};
//| __constant__ const char text[4] = "abc";
//| __constant__ const float *nowhere = nullptr;
//|
//| __device__ float weigh(const float *w, int i) {
//|     return w[i];
//| }
//|
//| __constant__ const int program_scope_offsets[2] = {1, 2};
//|
//| __global__ void program_scope(float *out, const float *__restrict__ w) {
//|     out[0] = table[1][2] + colors[0].x + text[1] + weigh(w, program_scope_offsets[1]);
//| }
