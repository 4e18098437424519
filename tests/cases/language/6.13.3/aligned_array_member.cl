// 6.13.3: aligned (alignment) of a variable: the compiler allocates it on that boundary.
// expect: valid
// result: 8 16
struct foo { char c; int x[2] __attribute__ ((aligned (8))); };
kernel void aligned_array_member(global int *out) {
    struct foo f;
    out[0] = (int)((uintptr_t)f.x - (uintptr_t)&f); out[1] = sizeof(f);
}
