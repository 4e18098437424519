// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 8
union u { char c[5]; int i; };
kernel void sizeof_a_union(global int *out) {
    out[0] = sizeof(union u);
}
