// form: loops
// global: 64
// local: 16
kernel void async_copies(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    local int part[16];
    event_t e = async_work_group_copy(part, in + get_group_id(0) * 16, 16, 0);
    int mine = lid * 2;
    wait_group_events(1, &e);
    tmp[lid] = part[15 - lid] + mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * 16, tmp, 16, 0);
    wait_group_events(1, &e);
}
