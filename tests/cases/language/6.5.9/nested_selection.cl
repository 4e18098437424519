// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 3
kernel void nested_selection(global int *out) {
    int a = 7;
    out[0] = a < 5 ? 1 : a < 7 ? 2 : 3;
}
