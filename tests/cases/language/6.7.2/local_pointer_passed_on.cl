// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: valid
// result: 9
void put(local int *p) { p[1] = 9; }
kernel void local_pointer_passed_on(global int *out) {
    local int tile[2];
    put(tile);
    out[0] = tile[1];
}
