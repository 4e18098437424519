// 6.7.9: Casting between pointers to non-overlapping address spaces is illegal.
// expect: error "address space" at line 4
kernel void cast_global_to_private(global int *out) {
    private int *p = (private int *)out;
}
