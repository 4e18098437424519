// 6.7.4: private is the default address space for variables with automatic storage duration.
// expect: valid
// result: 5
kernel void private_written_out(global int *out) {
    private int a = 5;
    int *p = &a;
    out[0] = *p;
}
