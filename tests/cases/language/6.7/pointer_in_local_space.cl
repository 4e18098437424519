// 6.7: __global int *__global p: a pointer p in the global address space that points to an object in the global address space.
// expect: valid
// result: 4
kernel void pointer_in_local_space(global int *out) {
    local int value;
    local int *local p;
    value = 4;
    p = &value;
    out[0] = *p;
}
