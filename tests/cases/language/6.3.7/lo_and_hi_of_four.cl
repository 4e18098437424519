// 6.3.7: The .lo suffix refers to the lower half of a given vector, .hi to the upper half.
// expect: valid
// result: 3 4 1 2
kernel void lo_and_hi_of_four(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = (int4)(v.hi, v.lo);
}
