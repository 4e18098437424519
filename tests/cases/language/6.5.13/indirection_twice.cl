// 6.5.13: The unary (*) operator denotes indirection; the result is an l-value designating the object.
// expect: valid
// result: 7
kernel void indirection_twice(global int *out) {
    int a = 7, *p = &a, **pp = &p;
    out[0] = **pp;
}
