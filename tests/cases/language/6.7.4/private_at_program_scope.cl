// 6.7.4: private is the default address space for variables with automatic storage duration.
// expect: error "address space" at line 3
private int a = 1;
kernel void private_at_program_scope(global int *out) {
    out[0] = 1;
}
