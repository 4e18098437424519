// 6.13.3: aligned (alignment) of a variable: the compiler allocates it on that boundary.
// expect: error "power of 2" at line 4
kernel void aligned_to_zero_power(global int *out) {
    int x __attribute__((aligned(12)));
}
