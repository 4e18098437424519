// form: loops
// global: 64
// local: 16
int *pick(int *x, int i) { return x + i; }

kernel void pointer_returned_by_a_function(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int own[4] = {1, 2, 3, 4};
    int *third = pick(own, lid & 3);
    tmp[lid] = *third;
    barrier(CLK_LOCAL_MEM_FENCE);
    *third += tmp[(lid + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = own[0] + 10 * own[1] + 100 * own[2] + 1000 * own[3];
}
