// 6.11: k. Recursion is not supported: functions recurse all the same, since CUDA has it, but kernels do not.
// expect: valid
// result: 6
int f(int n) { return n ? n + f(n - 1) : 0; }
kernel void k_recursion(global int *out) {
    out[0] = f(3);
}
