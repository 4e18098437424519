// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 1 5
kernel void only_the_chosen_one_is_evaluated(global int *out) {
    int a = 0, b = 5;
    out[0] = 1 ? ++a : ++b;
    out[1] = b;
}
