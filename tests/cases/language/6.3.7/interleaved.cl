// 6.3.7: The .even suffix refers to the even elements of a vector, .odd to the odd ones.
// expect: valid
// result: 1 5 2 6 3 7 4 8
kernel void interleaved(global int8 *out) {
    int8 v;
    v.even = (int4)(1, 2, 3, 4);
    v.odd = (int4)(5, 6, 7, 8);
    out[0] = v;
}
