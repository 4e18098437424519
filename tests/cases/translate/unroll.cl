#define COUNT 4
kernel void unroll(global float *x) {
    float sum = 0;
    #pragma unroll COUNT
    for (int i = 0; i < 16; i++)
        sum += x[i];
    __attribute__((opencl_unroll_hint(2)))
    for (int i = 0; i < 4; i++) sum *= x[i];
    #pragma unroll
    while (sum > 1) sum /= 2;
    #pragma unroll 0
    while (sum > 1) sum /= 2;
    enum { EIGHT = 8 };
    #pragma unroll EIGHT
    while (sum > 1) sum /= 2;
    x[0] = sum;
}

// Translated:
//| __global__ void unroll(float *x) {
//|     float sum = 0;
//| #pragma unroll 4
//|     for (int i = 0; i < 16; i++)
//|         sum += x[i];
//| #pragma unroll 2
//|     for (int i = 0; i < 4; i++)
//|         sum *= x[i];
//| #pragma unroll
//|     while (sum > 1)
//|         sum /= 2;
//| #pragma unroll 1
//|     while (sum > 1)
//|         sum /= 2;
//|     enum { EIGHT = 8 };
//| #pragma unroll 8
//|     while (sum > 1)
//|         sum /= 2;
//|     x[0] = sum;
//| }
