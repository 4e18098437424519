// 6.5.2: The arithmetic unary operators (+ and -) operate on built-in scalar and vector types.
// expect: error "invalid argument type" at line 6
struct s { int a; };
kernel void negated_struct(global int *out) {
    struct s v = {1};
    out[0] = (-v).a;
}
