// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 40 10
kernel void sizeof_an_array(global int *out) {
    int a[10];
    out[0] = sizeof(a); out[1] = sizeof(a) / sizeof(a[0]);
}
