// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: valid
// result: 8 7 6 5 4 3 2 1
kernel void eight_numeric_indices(global int8 *out) {
    int8 x = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    out[0] = x.s76543210;
}
