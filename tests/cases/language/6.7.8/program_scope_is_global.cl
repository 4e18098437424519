// 6.7.8: For OpenCL C 2.0 the address space of a variable at program scope is inferred to be global.
// expect: valid
// options: -cl-std=CL2.0
// result: 6
int foo = 6;
global int *where(void) { return &foo; }
kernel void program_scope_is_global(global int *out) {
    out[0] = *where();
}
