// 6.7.9: Pointers to non-overlapping address spaces are not subtracted.
// expect: error "non-overlapping address spaces" at line 4
kernel void difference_of_spaces(global int *out, local int *l) {
    out[0] = out - l;
}
