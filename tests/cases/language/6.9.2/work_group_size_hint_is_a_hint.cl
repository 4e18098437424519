// 6.9.2: __attribute__((work_group_size_hint(X, Y, Z))) is a hint to the compiler.
// expect: valid
// result: 3
// size: 1
kernel __attribute__((work_group_size_hint(64, 1, 1))) void work_group_size_hint_is_a_hint(global int *out) {
    out[0] = 3;
}
