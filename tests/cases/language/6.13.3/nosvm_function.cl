// 6.13.3: nosvm can be used with a pointer variable; the compiler can ignore it, of a function, too.
// expect: valid
// result: 4
// options: -cl-std=CL2.0
__attribute__((nosvm)) int four(void) { return 4; }
kernel void nosvm_function(global int *out) {
    out[0] = four();
}
