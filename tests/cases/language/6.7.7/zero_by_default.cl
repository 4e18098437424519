// 6.7.7: Program scope variables in the __global address space are zero initialized by default.
// expect: valid
// result: 0 0
// options: -cl-std=CL2.0
global int a;
static int b[3];
kernel void zero_by_default(global int *out) {
    out[0] = a; out[1] = b[2];
}
