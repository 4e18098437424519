// 6.4.2: A cast of a structure is no conversion (C99 6.5.4: the operand has scalar type).
// expect: error "struct s" at line 6
struct s { int a; };
kernel void cast_of_a_struct(global int *out) {
    struct s v = {1};
    out[0] = (int)v;
}
