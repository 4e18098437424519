// 6.7: __global int *__global p: a pointer p in the global address space that points to an object in the global address space.
// expect: valid
// result: 8
kernel void pointers_to_pointers_in_spaces(global int *out) {
    global int *p = out;
    global int *private *pp = &p;
    **pp = 8;
}
