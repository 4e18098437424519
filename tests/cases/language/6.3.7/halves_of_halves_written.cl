// 6.3.7: Multiple levels of .lo and .hi suffixes can be used until they refer to a scalar term.
// expect: valid
// result: 1 2 3 9
kernel void halves_of_halves_written(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.hi.hi = 9;
    out[0] = v;
}
