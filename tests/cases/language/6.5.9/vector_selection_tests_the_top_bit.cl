// 6.5.9: If the result is a vector value, this is equivalent to select(exp3, exp2, exp1).
// expect: valid
// result: 10 20 3 4
kernel void vector_selection_tests_the_top_bit(global int4 *out) {
    int4 a = (int4)(1, 2, 3, 4), b = (int4)(10, 20, 30, 40);
    int4 c = (int4)(1, 0x7fffffff, 0x80000000, -5);
    out[0] = c ? a : b;
}
