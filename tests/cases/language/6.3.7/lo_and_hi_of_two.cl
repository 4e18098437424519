// 6.3.7: The .lo suffix refers to the lower half of a given vector, .hi to the upper half.
// expect: valid
// result: 1 2
kernel void lo_and_hi_of_two(global int *out) {
    int2 v = (int2)(1, 2);
    out[0] = v.lo; out[1] = v.hi;
}
