// 6.5.4: Operands of type shortn and ushortn return a shortn result.
// expect: valid
// result: -1 0
kernel void ushort_relation_is_short(global short2 *out) {
    ushort2 a = (ushort2)(60000, 1);
    short2 r = a > (ushort2)(100);
    out[0] = r;
}
