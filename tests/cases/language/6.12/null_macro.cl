// 6.12: The NULL macro expands to a null pointer constant.
// expect: valid
// result: 1 1
// options: -cl-std=CL2.0
kernel void null_macro(global int *out) {
    global int *p = NULL;
    out[0] = p == NULL; out[1] = !p;
}
