// 6.7: Address spaces can not be used with a return type.
// expect: error "" at line 4
// clang: differs because it lets private pass, which is where a result is
private int f(void) { return 1; }
kernel void private_return_type(global int *out) {
    out[0] = f();
}
