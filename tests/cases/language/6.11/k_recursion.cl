// 6.11: k. Recursion is not supported.
// expect: error "recursi" at line 4
// clang: differs because it does not look for recursion
int f(int n) { return n ? f(n - 1) : 0; }
kernel void k_recursion(global int *out) {
    out[0] = f(3);
}
