// 6.3.7: Numeric indices: 0 to 9, a to f or A to F, preceded by s or S.
// expect: valid
// result: 3
kernel void capital_s(global int *out) {
    int4 v = (int4)(1, 2, 3, 4);
    out[0] = v.S2;
}
