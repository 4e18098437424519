// 6.5.4: All other cases of implicit conversions are illegal.
// expect: error "invalid operands" at line 6
struct s { int a; };
kernel void relation_of_structs(global int *out) {
    struct s v = {1};
    out[0] = v < v;
}
