// 6.11: a. Arguments to kernel functions that are pointers must be global, constant or local.
// expect: error "pointer" at line 6
// clang: differs because it does not look into unions
struct inner { global int *p; };
union u { int a; struct inner s; };
kernel void a_union_with_a_pointer_inside(global int *out, union u v) {
    out[0] = 1;
}
