// 6.5.15: L-values must be writable.
// expect: error "const" at line 6
struct s { int a; };
kernel void member_of_a_const_struct(global int *out) {
    const struct s v = {1};
    v.a = 2;
}
