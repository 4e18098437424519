// 6.5.14: If the operand is the result of a unary * operator, neither is evaluated.
// expect: valid
// result: 1
kernel void address_of_an_indirection(global int *out) {
    global int *p = out + 3;
    out[0] = &*p == p;
}
