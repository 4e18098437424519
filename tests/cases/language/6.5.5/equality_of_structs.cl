// 6.5.5: Equal (==) returns 0 if an argument is NaN; not equal (!=) returns 1, or -1 for vectors.
// expect: error "invalid operands" at line 6
struct s { int a; };
kernel void equality_of_structs(global int *out) {
    struct s v = {1};
    out[0] = v == v;
}
