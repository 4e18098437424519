// 6.5.14: The unary (&) operator returns the address of its operand.
// expect: valid
// result: 4
struct s { int a, b; };
kernel void address_of_a_member(global int *out) {
    struct s v;
    out[0] = (int)((uintptr_t)&v.b - (uintptr_t)&v);
}
