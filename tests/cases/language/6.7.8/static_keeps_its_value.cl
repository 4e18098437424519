// 6.7.8: For OpenCL C 2.0 the address space of a variable at program scope is inferred to be global.
// expect: valid
// options: -cl-std=CL2.0
// result: 1 2
int next(void) { static int n; return ++n; }
kernel void static_keeps_its_value(global int *out) {
    int a = next(), b = next();
    out[0] = a; out[1] = b;
}
