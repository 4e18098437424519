// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 1
enum __attribute__((packed)) small { one, two };
kernel void packed_enum(global int *out) {
    enum small s = two;
    out[0] = s;
}
