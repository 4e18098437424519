// 6.7.9: A pointer to global, local or private can be implicitly converted to generic but not vice-versa.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 2 3
kernel void generic_from_each(global int *out, local int *l) {
    int a = 1, *p = &a;
    out[0] = *p;
    p = l;
    *p = 2;
    out[1] = l[0];
    p = out + 2;
    *p = 3;
}
