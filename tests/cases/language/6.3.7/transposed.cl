// 6.3.7: Multiple levels of .lo and .hi suffixes can be used until they refer to a scalar term.
// expect: valid
// result: 1 5 9 13
kernel void transposed(global int4 *out) {
    int16 x = (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), t;
    t.even = x.lo;
    t.odd = x.hi;
    x.even = t.lo;
    x.odd = t.hi;
    out[0] = x.lo.lo;
}
