// 6.13.2: Function qualifiers describe the function attributes; always_inline and noinline are let pass.
// expect: valid
// result: 1 2
int __attribute__((overloadable)) kind(int a) { return 1; }
int __attribute__((overloadable)) kind(float a) { return 2; }
kernel void overloadable_functions(global int *out) {
    out[0] = kind(1); out[1] = kind(1.0f);
}
