// 6.11: l. The return type of a kernel function must be void.
// expect: error "void return type" at line 3
kernel float4 l_float4_kernel(global int *out) {
    return 1;
}
