// 6.10: The static storage-class specifier can be used for non-kernel functions and variables in global or constant.
// expect: valid
// result: 3
// options: -cl-std=CL2.0
kernel void static_global_in_a_loop(global int *out) {
    for (int i = 0; i < 3; i++) {
        static global int inside;
        out[0] = ++inside;
    }
}
