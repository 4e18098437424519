// 6.7: The address space name spelling without the __ prefix is valid and may be substituted.
// expect: valid
// result: 6
kernel void both_spellings_mean_the_same(__global int *out) {
    global int *p = out;
    __private int a = 1;
    private int *q = &a;
    __local int tile[2];
    local int *r = tile;
    r[1] = 5;
    *p = *q + tile[1];
}
