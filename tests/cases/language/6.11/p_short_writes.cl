// 6.11: p. Writes to char and short buffers are supported (cl_khr_byte_addressable_store).
// expect: valid
// result: -1 2
kernel void p_short_writes(global short *out) {
    out[0] = -1; out[1] = 2;
}
