// 6.9.2: __attribute__((work_group_size_hint(X, Y, Z))) is a hint to the compiler.
// expect: error "'work_group_size_hint' attribute requires three positive integer constants" at line 3
kernel __attribute__((work_group_size_hint(64, 1))) void work_group_size_hint_with_two_numbers(global int *out) {
    out[0] = 3;
}
