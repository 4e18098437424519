// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 5 6
kernel void scalar_selection(global int *out) {
    int yes = 1;
    out[0] = yes ? 5 : 6; out[1] = !yes ? 5 : 6;
}
