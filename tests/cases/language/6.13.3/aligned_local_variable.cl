// 6.13.3: aligned (alignment) of a variable: the compiler allocates it on that boundary.
// expect: valid
// result: 0
kernel void aligned_local_variable(global int *out) {
    local char tile[3] __attribute__((aligned(64)));
    tile[0] = 1;
    out[0] = (int)((uintptr_t)tile & 63);
}
