// 6.5.4: Operands of type intn, uintn and floatn return an intn result.
// expect: valid
// result: -1 0
kernel void uint_relation_is_int(global int2 *out) {
    uint2 a = (uint2)(0xffffffff, 1);
    int2 r = a > (uint2)(100);
    out[0] = r;
}
