// 6.3.1: intptr_t: any valid pointer to void can be converted to this type, then converted back.
// expect: valid
// result: 12
kernel void uintptr_t_differences(global int *out) {
    uintptr_t a = (uintptr_t)out, b = (uintptr_t)(out + 3);
    out[0] = (int)(b - a);
}
