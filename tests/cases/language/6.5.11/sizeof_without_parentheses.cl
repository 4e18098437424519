// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 8
kernel void sizeof_without_parentheses(global int *out) {
    double d = 1;
    out[0] = sizeof d;
}
