// form: loops
// global: 64
// local: 16
kernel void uniform_break_and_continue(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int sum = 0;
    for (int i = 0; i < 10; i++) {
        tmp[lid] = in[gid] * i;
        if (i == 2)
            continue;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tmp[(lid + i) % size];
        if (i == n / 10) {
            sum += 1000;
            break;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[gid] = sum;
}
