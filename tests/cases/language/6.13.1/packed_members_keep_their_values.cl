// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 7 1000
typedef struct __attribute__((packed)) { char c; int i; } tight;
kernel void packed_members_keep_their_values(global int *out) {
    tight t = {7, 1000};
    out[0] = t.c; out[1] = t.i;
}
