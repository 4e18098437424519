// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// expect: valid
// result: 8
kernel void selection_of_pointers(global int *out) {
    int a = 7, b = 8, *p = 0 ? &a : &b;
    out[0] = *p;
}
