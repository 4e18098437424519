// 6.5.14: If the operand is the result of a unary * operator, neither is evaluated.
// expect: valid
// result: 1
kernel void address_of_a_subscript(global int *out) {
    out[0] = &out[5] == out + 5;
}
