// 6.13.3: aligned (alignment) of a variable: the compiler allocates it on that boundary.
// expect: valid
// result: 0
kernel void aligned_variable(global int *out) {
    int x __attribute__ ((aligned (16))) = 0;
    out[0] = (int)((uintptr_t)&x & 15) + x;
}
