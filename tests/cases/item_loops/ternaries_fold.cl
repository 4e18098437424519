// form: loops
// global: 64
// local: 16
kernel void ternaries_fold(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int low = lid - 2;
    low = low < 0 ? 0 : low;
    int high = lid + 2;
    if (high > size - 1) high = size - 1;
    if (low == 3) { low = 1; }
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = low; i <= high; i++)
        sum += tmp[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = tmp[low] + tmp[high];
}
