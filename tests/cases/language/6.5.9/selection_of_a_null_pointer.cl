// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 7
kernel void selection_of_a_null_pointer(global int *out) {
    int a = 7, yes = 1;
    int *p = yes ? &a : 0;
    out[0] = *p;
}
