// 6.4.5: Pointers to old and new types may be cast back and forth to each other.
// expect: valid
// result: 1 2 3 4
kernel void pointer_to_vector(global int4 *out) {
    private int a[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
    out[0] = *(private int4 *)a;
}
