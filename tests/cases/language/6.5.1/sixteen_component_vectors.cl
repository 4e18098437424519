// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 30
kernel void sixteen_component_vectors(global int *out) {
    int16 v = (int16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    out[0] = (v + v).se;
}
