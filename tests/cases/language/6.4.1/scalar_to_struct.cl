// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type" at line 6
struct s { int a; };
kernel void scalar_to_struct(global int *out) {
    struct s v;
    v = 1;
}
