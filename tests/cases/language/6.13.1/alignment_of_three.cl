// 6.13.1: The alignment value specified must be a power of two.
// expect: error "power of 2" at line 3
struct S { int a; } __attribute__((aligned(3)));
kernel void alignment_of_three(global int *out) {
    out[0] = 1;
}
