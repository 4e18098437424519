// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: valid
// result: 16 1 12 11
kernel void several_numeric_indices(global int4 *out) {
    int16 x = (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    out[0] = x.sf0Ba;
}
