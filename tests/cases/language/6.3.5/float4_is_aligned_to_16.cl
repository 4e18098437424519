// 6.3.5: A data item declared to be a data type in memory is always aligned to the size of the data type in bytes.
// expect: valid
// result: 0
struct mixed { char c; float4 v; };
kernel void float4_is_aligned_to_16(global int *out) {
    struct mixed m;
    m.c = 1;
    out[0] = (int)((uintptr_t)&m.v & 15);
}
