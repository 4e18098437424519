// form: loops
// global: 16
// local: 16
kernel void triples_under_a_condition(global const int *in, global int *out, int n, local int *tmp) {
    int i = get_local_id(0);
    local int3 column[16];
    int3 sum = vload3(i, in);
    column[i] = vload3(i, in + 16);
    barrier(CLK_LOCAL_MEM_FENCE);
    int left = i + n - 66;
    if (left >= 0 && left < 16)
        sum += column[left];
    vstore3(sum, i, out);
}
