// 6.5.9: Their types match, or an implicit conversion makes them match.
// expect: error "used type 'struct s' where arithmetic or pointer type is required" at line 6
struct s { int a; };
kernel void struct_condition(global int *out) {
    struct s v = {1};
    out[0] = v ? 1 : 2;
}
