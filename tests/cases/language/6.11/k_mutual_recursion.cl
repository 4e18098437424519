// 6.11: k. Recursion is not supported.
// expect: error "recursi" at line 5
// clang: differs because it does not look for recursion
int g(int n);
int f(int n) { return n ? g(n - 1) : 0; }
int g(int n) { return f(n); }
kernel void k_mutual_recursion(global int *out) {
    out[0] = f(3);
}
