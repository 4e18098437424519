// form: loops
// global: 64
// local: 16
#define SYNC(what) do { barrier(CLK_LOCAL_MEM_FENCE); what; barrier(CLK_LOCAL_MEM_FENCE); } while (0)

kernel void macro_with_do_while_zero(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    SYNC(tmp[lid] += 1);
    int other = tmp[size - 1 - lid];
    SYNC(tmp[lid] = other * 2);
    out[gid] = tmp[(lid + 3) % size];
}
