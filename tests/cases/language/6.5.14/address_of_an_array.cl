// 6.5.14: The unary (&) operator returns the address of its operand.
// expect: valid
// result: 16
kernel void address_of_an_array(global int *out) {
    int a[4];
    int (*p)[4] = &a;
    out[0] = (int)((uintptr_t)(p + 1) - (uintptr_t)p);
}
