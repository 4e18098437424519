// 6.13.2: Function qualifiers describe the function attributes; always_inline and noinline are let pass.
// expect: valid
// result: 7
__attribute__((always_inline)) int three(void) { return 3; }
__attribute__((noinline)) int four(void) { return 4; }
kernel void function_attributes(global int *out) {
    out[0] = three() + four();
}
