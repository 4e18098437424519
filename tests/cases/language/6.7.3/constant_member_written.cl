// 6.7.3: It is illegal to write to a variable in the constant address space.
// expect: error "const" at line 5
struct s { int a; };
kernel void constant_member_written(global int *out, constant struct s *in) {
    in->a = 1;
}
