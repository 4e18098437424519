// 6.3.1: ptrdiff_t: a signed integer type that is the result of subtracting two pointers.
// expect: valid
// result: -3
kernel void ptrdiff_t_is_signed(global int *out) {
    int a[4];
    ptrdiff_t d = &a[0] - &a[3];
    out[0] = d;
}
