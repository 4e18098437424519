// 6.13.3: aligned (alignment) of a variable: the compiler allocates it on that boundary.
// expect: valid
// result: 0
kernel void aligned_to_the_maximum(global int *out) {
    short array[3] __attribute__ ((aligned));
    array[0] = 0;
    out[0] = (int)((uintptr_t)array & 7) + array[0];
}
