// 6.13.2: Function qualifiers describe the function attributes; always_inline and noinline are let pass.
// expect: error "conflicting types" at line 4
int kind(int a) { return 1; }
int kind(float a) { return 2; }
kernel void two_functions_of_one_name(global int *out) {
    out[0] = 1;
}
