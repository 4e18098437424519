// 6.5.15: L-values must be writable.
// expect: error "const" at line 6
struct s { const int a; };
kernel void const_member(global int *out) {
    struct s v = {1};
    v.a = 2;
}
