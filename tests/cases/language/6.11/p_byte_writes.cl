// 6.11: p. Writes to char and short buffers are supported (cl_khr_byte_addressable_store).
// expect: valid
// result: 1 2 3
kernel void p_byte_writes(global uchar *out) {
    for (int i = 0; i < 3; i++) out[i] = i + 1;
}
