// 6.5.1: The two operands are vectors of the same type: the operation is done component-wise.
// expect: valid
// result: 2 4 6 8 10 12 14 16
kernel void eight_component_vectors(global int8 *out) {
    int8 v = (int8)(1, 2, 3, 4, 5, 6, 7, 8);
    out[0] = v + v;
}
