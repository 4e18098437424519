// 6.5.4: Operands of type longn, ulongn and doublen return a longn result.
// expect: valid
// result: 0 -1
kernel void ulong_relation_is_long(global long2 *out) {
    ulong2 a = (ulong2)(1, 0xffffffffffffffffUL);
    out[0] = a > 5;
}
