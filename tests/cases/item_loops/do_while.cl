// form: loops
// global: 64
// local: 16
kernel void do_while(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int rounds = 0;
    tmp[lid] = in[gid] & 15;
    do {
        int mine = tmp[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        tmp[(lid + 1) % size] = mine + rounds;
        rounds++;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (rounds < 5);
    out[gid] = tmp[lid] + rounds;
}
