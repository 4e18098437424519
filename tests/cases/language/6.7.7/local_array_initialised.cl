// 6.7.7: Variables allocated in the __local address space cannot be initialized.
// expect: error "cannot have an initializer" at line 4
kernel void local_array_initialised(global int *out) {
    local int a[2] = {1, 2};
}
