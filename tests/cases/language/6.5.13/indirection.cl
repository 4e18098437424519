// 6.5.13: The unary (*) operator denotes indirection; the result is an l-value designating the object.
// expect: valid
// result: 5 6
kernel void indirection(global int *out) {
    int a = 5, *p = &a;
    out[0] = *p;
    *p = 6;
    out[1] = a;
}
