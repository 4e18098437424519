// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 8
struct __attribute__((packed, aligned(8))) S { char c; int i; };
kernel void packed_and_aligned(global int *out) {
    out[0] = sizeof(struct S);
}
