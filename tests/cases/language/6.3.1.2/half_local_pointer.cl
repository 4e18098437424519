// 6.3.1.2: The half data type can only be used to declare a pointer to a buffer that contains half values.
// expect: valid
// result: 0.5
kernel void half_local_pointer(global float *out, local half *scratch) {
    vstore_half(0.5f, 3, scratch);
    out[0] = vload_half(3, scratch);
}
