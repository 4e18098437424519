// 6.5.7: For built-in vector types, both operands are evaluated and the operators are applied component-wise.
// expect: error "used type 'struct s' where arithmetic or pointer type is required" at line 6
struct s { int a; };
kernel void logic_of_a_struct(global int *out) {
    struct s v = {1};
    out[0] = v && 1;
}
