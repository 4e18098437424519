// 6.5.6: Except the built-in scalar and vector float types.
// expect: error "invalid operands" at line 4
kernel void pointer_and(global int *out) {
    ulong a = out & 1;
}
