// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 4 8 4
kernel void sizeof_an_expression(global int *out) {
    char a = 1;
    out[0] = sizeof(a + a); out[1] = sizeof (a + 1L); out[2] = sizeof 1;
}
