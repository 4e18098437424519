// 6.3.7: Multiple levels of .lo and .hi suffixes can be used until they refer to a scalar term.
// expect: valid
// result: 7 4 3
kernel void halves_of_halves(global int *out) {
    int8 v = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    out[0] = v.hi.hi.lo; out[1] = v.lo.odd.hi; out[2] = v.even.lo.hi;
}
