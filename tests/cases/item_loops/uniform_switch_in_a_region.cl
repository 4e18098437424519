// form: loops
// global: 64
// local: 16
kernel void uniform_switch_in_a_region(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int kind = n & 3, value = in[gid];
    tmp[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    switch (lid & 3) {
    case 0: value += 5;
    case 1: value *= 2; break;
    case 2: for (int i = 0; i < 3; i++) { if (i == 1) continue; value += i; } break;
    default: value = tmp[(lid + 1) % size] + kind;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    tmp[lid] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = value + tmp[size - 1 - lid];
}
