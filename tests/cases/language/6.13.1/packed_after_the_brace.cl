// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 9
struct tight { char c; long n; } __attribute__((packed));
kernel void packed_after_the_brace(global int *out) {
    out[0] = sizeof(struct tight);
}
