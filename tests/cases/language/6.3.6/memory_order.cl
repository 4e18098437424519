// 6.3.6: Operands are assigned to their positions in the result vector as they appear in memory order.
// expect: valid
// result: 1 2 3 4 5 6 7 8
kernel void memory_order(global int *out) {
    int4 low = (int4)(1, 2, 3, 4);
    vstore8((int8)(low, (int2)(5, 6), 7, 8), 0, out);
}
