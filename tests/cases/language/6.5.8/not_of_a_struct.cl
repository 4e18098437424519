// 6.5.8: For vector types, not returns 0 or -1 and a signed integer vector of the same size.
// expect: error "used type 'struct s' where arithmetic or pointer type is required" at line 6
struct s { int a; };
kernel void not_of_a_struct(global int *out) {
    struct s v = {1};
    out[0] = !v;
}
