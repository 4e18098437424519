// form: loops
// global: 64
// local: 16
void meet(void) { barrier(CLK_LOCAL_MEM_FENCE); }
void exchange(local int *x, int value) {
    x[get_local_id(0)] = value;
    meet();
}
int rotated(local int *x, int by) {
    int found = x[(get_local_id(0) + by) % get_local_size(0)];
    meet();
    exchange(x, found);
    return x[get_local_id(0) ^ 1];
}

kernel void functions_that_meet_in_each_other(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    exchange(tmp, in[gid]);
    out[gid] = rotated(tmp, 3) + rotated(tmp, 5);
}
