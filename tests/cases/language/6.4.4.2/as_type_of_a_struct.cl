// 6.4.4.2: All data types except bool, void and half may be reinterpreted.
// expect: error "as_int" at line 7
// clang: differs because it reinterprets whatever has the size
struct s { int a; };
kernel void as_type_of_a_struct(global int *out) {
    struct s v = {1};
    out[0] = as_int(v);
}
