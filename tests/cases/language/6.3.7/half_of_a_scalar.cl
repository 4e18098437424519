// 6.3.7: Multiple levels of .lo and .hi suffixes can be used until they refer to a scalar term.
// expect: error "not a structure" at line 5
kernel void half_of_a_scalar(global int *out) {
    int2 v = (int2)(1, 2);
    out[0] = v.hi.lo;
}
