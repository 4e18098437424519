// 6.5.15: Whole arrays cannot be assigned (C99 6.5.16: a modifiable lvalue).
// expect: error "not assignable" at line 5
kernel void array_assigned(global int *out) {
    int a[2], b[2];
    a = b;
}
