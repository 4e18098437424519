// form: loops
// global: 64
// local: 16
void twice(int *x) { *x *= 2; }

kernel void address_taken(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int value = in[gid], other = 3;
    int *p = &value;
    tmp[lid] = *p;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p += tmp[(lid + 1) % size];
    p = &other;
    barrier(CLK_LOCAL_MEM_FENCE);
    *p = value;
    twice(&value);
    int *both[2] = {&value, &other};
    barrier(CLK_LOCAL_MEM_FENCE);
    *both[lid & 1] += 5;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = value * 3 + other + **both;
}
