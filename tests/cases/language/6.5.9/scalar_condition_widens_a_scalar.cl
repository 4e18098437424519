// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 9 9
kernel void scalar_condition_widens_a_scalar(global int2 *out) {
    int2 a = (int2)(1, 2);
    int no = 0;
    out[0] = no ? a : 9;
}
