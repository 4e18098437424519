// 6.7.9: Pointer casts can be used to cast to the generic address space and vice-versa.
// expect: valid
// options: -cl-std=CL2.0
// result: 9
kernel void cast_to_generic_and_back(global int *out) {
    int *p = (int *)out;
    global int *g = (global int *)p;
    *g = 9;
}
