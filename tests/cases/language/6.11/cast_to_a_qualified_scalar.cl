// 6.11: The address space qualifiers belong to where something is, not to casts of values (Embedded C 5.1.2).
// expect: valid
// result: 3
kernel void cast_to_a_qualified_scalar(global int *out) {
    out[0] = (private int)3;
}
