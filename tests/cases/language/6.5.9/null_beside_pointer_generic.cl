// 6.5.9: If all three expressions are scalar values, the C99 rules for the ternary operator are followed.
// options: -cl-std=CL2.0
// expect: valid
// result: 17
kernel void null_beside_pointer_generic(global int *out) {
    int own = 8, yes = out != NULL;
    out[0] = 8;
    global int *right = yes ? out : NULL, *left = yes ? NULL : out;
    int *anywhere = yes ? &own : NULL;
    out[0] = *right + *anywhere + (left == NULL);
}
