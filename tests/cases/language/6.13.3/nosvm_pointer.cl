// 6.13.3: nosvm can be used with a pointer variable; the compiler can ignore it.
// expect: valid
// result: 4
// options: -cl-std=CL2.0
kernel void nosvm_pointer(global int *out) {
    __attribute__((nosvm)) global int *p = out;
    p[0] = 4;
}
