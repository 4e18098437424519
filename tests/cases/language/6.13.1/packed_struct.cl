// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 5 8
struct __attribute__((packed)) tight { char c; int i; };
struct loose { char c; int i; };
kernel void packed_struct(global int *out) {
    out[0] = sizeof(struct tight); out[1] = sizeof(struct loose);
}
