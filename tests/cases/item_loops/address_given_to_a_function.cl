// form: loops
// global: 64
// local: 16
void fill(int *x, int from) { for (int i = 0; i < 4; i++) x[i] = from + i; }
int sum_of(const int *x) { return x[0] + x[1] + x[2] + x[3]; }

kernel void address_given_to_a_function(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int own[4];
    fill(own, in[gid]);
    tmp[lid] = sum_of(own);
    barrier(CLK_LOCAL_MEM_FENCE);
    int more[4];
    fill(more, tmp[(lid + 1) % size]);
    own[lid & 3] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = sum_of(own) + sum_of(more);
}
