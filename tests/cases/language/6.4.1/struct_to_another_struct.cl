// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type" at line 7
struct s { int a; };
struct t { int a; };
kernel void struct_to_another_struct(global int *out) {
    struct s v = {1};
    struct t w = v;
}
