// 6.5.4: The relational operators compare a pointer and an integer as addresses, with a warning.
// expect: valid
// result: 1 0 1 1
kernel void pointer_and_integer(global int *out) {
    global int *p = (global int *)16;
    int i = 16;
    ulong u = 17;
    out[0] = p == i;
    out[1] = u < p;
    out[2] = p != u;
    out[3] = p >= i;
}
