// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: valid
// result: 1 0 3 0 5 0 7 0
kernel void numeric_indices_written(global int8 *out) {
    int8 x = 0;
    x.s0246 = (int4)(1, 3, 5, 7);
    out[0] = x;
}
