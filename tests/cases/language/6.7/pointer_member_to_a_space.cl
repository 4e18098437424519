// 6.7: Multiple address space qualifiers are not allowed.
// expect: valid
// result: 5
struct s { global int *p; };
kernel void pointer_member_to_a_space(global int *out) {
    struct s v = {out};
    v.p[0] = 5;
}
