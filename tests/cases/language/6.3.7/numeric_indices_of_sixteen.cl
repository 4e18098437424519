// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: valid
// result: 11 11 16 16
kernel void numeric_indices_of_sixteen(global int *out) {
    float16 x = (float16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    out[0] = x.sa; out[1] = x.sA; out[2] = x.sf; out[3] = x.sF;
}
