// 6.5.1: All other cases of implicit conversions are illegal.
// expect: error "invalid operands" at line 6
struct s { int a; };
kernel void struct_operand(global int *out) {
    struct s v = {1};
    out[0] = (v + 1);
}
