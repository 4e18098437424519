// 6.4.1: Implicit conversions between built-in vector data types are disallowed.
// expect: error "incompatible type" at line 6
struct s { int a; };
kernel void struct_to_scalar(global int *out) {
    struct s v = {1};
    out[0] = v;
}
