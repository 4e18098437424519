// 6.13.5: The attribute must appear immediately before the loop: it is invalid on a non-loop construct.
// expect: error "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements" at line 5
// options: -cl-std=CL2.0
kernel void unroll_hint_before_an_if(global int *out) {
    __attribute__((opencl_unroll_hint))
    if (out) out[0] = 1;
}
