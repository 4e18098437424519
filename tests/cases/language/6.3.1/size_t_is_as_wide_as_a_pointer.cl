// 6.3.1: size_t: the unsigned integer type of the result of the sizeof operator.
// expect: valid
// result: 1
kernel void size_t_is_as_wide_as_a_pointer(global int *out) {
    out[0] = sizeof(size_t) == sizeof(global int *);
}
