// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: valid
// result: 1 8
kernel void numeric_indices_of_eight(global int *out) {
    float8 f = (float8)(1, 2, 3, 4, 5, 6, 7, 8);
    out[0] = f.s0; out[1] = f.s7;
}
