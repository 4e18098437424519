// 6.7.7: Any initializer is allowed for private address space objects.
// expect: valid
// result: 1 2 0 0
kernel void private_array_initialised(global int *out) {
    int a[4] = {1, 2};
    for (int i = 0; i < 4; i++) out[i] = a[i];
}
