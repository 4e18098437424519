// 6.7.4: private is the default address space for variables with automatic storage duration.
// expect: valid
// result: 5
kernel void private_by_default(global int *out) {
    int a = 5;
    private int *p = &a;
    out[0] = *p;
}
