kernel void big(global float *out, local float *more) {
    local float a[8192];
    local float b[8192];
    int i = get_local_id(0);
    a[i] = b[i] = more[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i ^ 1] + b[i] + more[i];
}

// Translated:
//| __global__ void big(float *out) {
//|     float *more = (float *)(local_memory + 65536);
//|     float (&a)[8192] = *(float (*)[8192])(local_memory + 0);
//|     float (&b)[8192] = *(float (*)[8192])(local_memory + 32768);
//|     int i = get_local_id(0);
//|     a[i] = b[i] = more[i] = i;
//|     barrier(CLK_LOCAL_MEM_FENCE);
//|     out[i] = a[i ^ 1] + b[i] + more[i];
//| }
