void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
float first(const global float *p) { return *p; }
kernel void pointers(global float *out, const global float * restrict in, global void *raw, uint n) {
    int values[3] = { [1] = 5, 6 }, *p = values;
    global float *q = out + 2;
    global int *ints = (global int *)raw;
    swap(p, &values[2]);
    *p++ = 7;
    q[-1] = first(in) + *(in + 1) + (q - out);
    q = 0;
    if (!q || q == NULL) q = out;
    global float4 *v = (global float4 *)out;
    v[1] = (float4)(ints[0], p[0], sizeof(values), as_int(in[0]));
}

// Translated:
//| __device__ void swap(int *a, int *b) {
//|     int t = *a;
//|     *a = *b;
//|     *b = t;
//| }
//|
//| __device__ float first(const float *p) {
//|     return *p;
//| }
//|
//| __global__ void pointers(float *out, const float *__restrict__ in, void *raw, uint n) {
//|     int values[3] = {{}, 5, 6};
//|     int *p = values;
//|     float *q = out + 2;
//|     int *ints = (int *)raw;
//|     swap(p, &values[2]);
//|     *p++ = 7;
//|     q[-1] = first(in) + *(in + 1) + (q - out);
//|     q = nullptr;
//|     if (!q || q == nullptr)
//|         q = out;
//|     float4 *v = (float4 *)out;
//|     v[1] = float4{(float)ints[0], (float)p[0], (float)sizeof(int [3]), (float)as_int(in[0])};
//| }
