// 6.5.9: Their types match, or an implicit conversion makes them match.
// expect: error "incompatible operand types" at line 6
struct s { int a; };
kernel void selection_of_a_struct_and_an_int(global int *out) {
    struct s v = {1};
    out[0] = out ? v : 1;
}
