// 6.5.14: The unary (&) operator returns the address of its operand.
// expect: valid
// result: 1
kernel void address_of_a_variable(global int *out) {
    int a = 1, *p = &a;
    out[0] = p == &a;
}
