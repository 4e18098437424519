// 6.11: a. Arguments to kernel functions that are pointers must be global, constant or local.
// expect: error "pointer" at line 4
struct s { int *p; };
kernel void a_struct_with_a_pointer(global int *out, struct s v) {
    out[0] = 1;
}
