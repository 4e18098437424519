// 6.7.9: Casting between pointers to non-overlapping address spaces is illegal.
// expect: valid
// result: 2
kernel void cast_to_another_type_in_the_same_space(global int *out) {
    global uint *p = (global uint *)out;
    p[0] = 2;
}
