// 6.10: The extern storage-class specifier can be used for functions and program scope variables.
// expect: valid
// result: 4
extern int four(void);
kernel void extern_function_defined_later(global int *out) {
    out[0] = four();
}
int four(void) { return 4; }
