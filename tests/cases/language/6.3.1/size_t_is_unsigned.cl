// 6.3.1: size_t: the unsigned integer type of the result of the sizeof operator.
// expect: valid
// result: 1
kernel void size_t_is_unsigned(global int *out) {
    size_t a = 0;
    a--;
    out[0] = a > 0;
}
