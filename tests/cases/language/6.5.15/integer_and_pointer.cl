// 6.5.15: lvalue op= expression is equivalent to lvalue = lvalue op expression: of an integer and a pointer too, with a warning.
// expect: valid
// result: 12 1 1 3 8
kernel void integer_and_pointer(global int *out) {
    global int *base = 0;
    int i = 2;
    long at[2] = { 0, 1 };
    i += base + 1;
    out[0] = i;
    bool b = false;
    b += out;
    out[1] = b;
    global int *p = out + 3;
    p -= p - 3;
    out[2] = p == (global int *)3;
    global int *q = out;
    q += (long)(base + 1) - 1;
    out[3] = q - out;
    int n = 0;
    at[n++] += base + 2;
    out[4] = at[0] * n;
}
