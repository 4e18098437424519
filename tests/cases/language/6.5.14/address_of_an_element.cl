// 6.5.14: The unary (&) operator returns the address of its operand.
// expect: valid
// result: 2
kernel void address_of_an_element(global int *out) {
    int a[4], *p = &a[2];
    out[0] = p - a;
}
