// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 0x05040302
// in: 1 2 3 4 5 6 7 8
typedef struct __attribute__((packed)) { char c; int i; } tight;
kernel void packed_struct_in_a_buffer(global int *out, global const uchar *in) {
    out[0] = ((global const tight *)in)->i;
}
