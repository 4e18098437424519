// 6.13.1: packed: each member is placed to minimize the memory required.
// expect: valid
// result: 13
struct my_unpacked_struct { char c; int i; };
struct __attribute__ ((packed)) my_packed_struct { char c; int i; struct my_unpacked_struct s; };
kernel void inner_layout_is_not_packed(global int *out) {
    out[0] = sizeof(struct my_packed_struct);
}
