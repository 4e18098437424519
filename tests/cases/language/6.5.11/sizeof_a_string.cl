// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 6
kernel void sizeof_a_string(global int *out) {
    out[0] = sizeof("hello");
}
