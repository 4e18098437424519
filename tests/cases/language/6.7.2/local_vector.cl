// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: valid
// result: 1 2 3 4
kernel void local_vector(global int4 *out) {
    local int4 v;
    v = (int4)(1, 2, 3, 4);
    out[0] = v;
}
