// 6.7.8: All string literal storage shall be in the __constant address space.
// expect: error "address space" at line 4
kernel void string_is_not_global(global int *out) {
    global const char *s = "hello";
}
