// 6.9.2: __attribute__((reqd_work_group_size(X, Y, Z))) is the work-group size that must be used.
// expect: error "kernel" at line 3
__attribute__((reqd_work_group_size(1, 1, 1))) int f(void) { return 1; }
kernel void required_size_of_a_function(global int *out) {
    out[0] = f();
}
