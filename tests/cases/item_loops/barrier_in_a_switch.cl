// form: fibers since a barrier in a switch
// global: 64
// local: 16
kernel void barrier_in_a_switch(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    tmp[lid] = in[gid];
    switch (n) {
    case 64: barrier(CLK_LOCAL_MEM_FENCE);
    default: out[gid] = tmp[(lid + 1) % size];
    }
}
