// 6.10: The extern storage-class specifier can be used for functions and program scope variables.
// expect: valid
// result: 9 17 8
struct with_count { int x; constant int *count; };
extern constant struct with_count late;
constant struct with_count *constant to_late = &late;
constant struct with_count *constant *constant to_that = &to_late;
int of_late(void) { return *late.count; }
constant int counted = 9;
constant struct with_count late = { 8, &counted };
kernel void variables_declared_before_what_they_name(global int *out) {
    out[0] = of_late();
    out[1] = (*to_that)->x + *to_late->count;
    out[2] = late.x;
}
