// 6.12: kernel_exec(X, typen) is defined as the kernel with its hints.
// expect: valid
// result: 3
kernel_exec(64, float4) void kernel_exec_macro(global int *out) {
    out[0] = 3;
}
