// 6.3.7: The .lo suffix refers to the lower half of a given vector, .hi to the upper half.
// expect: valid
// result: 1 2 8 9
kernel void hi_written(global int4 *out) {
    int4 v = (int4)(1, 2, 3, 4);
    v.hi = (int2)(8, 9);
    out[0] = v;
}
