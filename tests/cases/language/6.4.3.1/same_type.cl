// 6.4.3.1: The operand and result type may be the same type, in which case the conversion has no effect.
// expect: valid
// result: 5 -6
kernel void same_type(global int2 *out) {
    out[0] = convert_int2((int2)(5, -6));
}
