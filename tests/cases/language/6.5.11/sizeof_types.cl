// 6.5.11: The sizeof operator yields the size of its operand, an expression or the parenthesized name of a type.
// expect: valid
// result: 1 2 4 8 4 8
kernel void sizeof_types(global int *out) {
    out[0] = sizeof(char); out[1] = sizeof(ushort); out[2] = sizeof(int); out[3] = sizeof(ulong);
    out[4] = sizeof(float); out[5] = sizeof(double);
}
