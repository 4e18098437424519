// 6.7.9: Conditional operator: the 2nd and 3rd operands' address spaces must overlap.
// expect: valid
// options: -cl-std=CL2.0
// result: 4
kernel void conditional_of_global_and_generic(global int *out) {
    int *p = out + 1;
    global int *q = out;
    int *val = (q <= p) ? q : p;
    *val = 4;
}
