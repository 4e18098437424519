// 6.5.11: sizeof shall not be applied to an expression that has function type or an incomplete type.
// expect: error "incomplete type" at line 5
struct s;
kernel void sizeof_an_incomplete_struct(global int *out) {
    out[0] = sizeof(struct s);
}
