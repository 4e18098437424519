// 6.5.4: Vector source operands of type charn and ucharn return a charn result.
// expect: valid
// result: -1 0 -1 0
kernel void uchar_relation_is_char(global char4 *out) {
    uchar4 a = (uchar4)(200, 1, 255, 0);
    char4 r = a > (uchar4)(100);
    out[0] = r;
}
