// 6.7.7: Any initializer is allowed for private address space objects.
// expect: valid
// result: 2
kernel void private_initialised_by_a_call(global int *out) {
    out[0] = 0;
    int a = get_work_dim() + 1;
    out[0] = a;
}
