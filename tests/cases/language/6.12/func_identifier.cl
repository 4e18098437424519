// 6.12: The predefined identifier __func__ is available.
// expect: valid
// result: 102 16
kernel void func_identifier(global int *out) {
    constant char *name = __func__;
    out[0] = name[0]; out[1] = sizeof(__func__);
}
