// form: loops
// global: 64
// local: 16
struct __attribute__((aligned(512))) wide { int first; };

kernel void aligned_variables(global const int *in, global int *out, int n, local int *tmp) {
    int lid = get_local_id(0), gid = get_global_id(0);
    char bytes[24] __attribute__((aligned(16)));
    int number __attribute__((aligned(128))) = in[gid];
    struct wide record = {gid};
    volatile size_t places[3] = {(size_t)bytes, (size_t)&number, (size_t)&record};
    for (int i = 0; i < 24; i++) bytes[i] = in[gid] + i;
    tmp[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 words = *(int4 *)bytes;
    bool aligned = !(places[0] % 16 || places[1] % 128 || places[2] % 512);
    out[gid] = aligned * 1000 + words.x + words.w + bytes[23] + number + record.first + tmp[15 - lid];
}
