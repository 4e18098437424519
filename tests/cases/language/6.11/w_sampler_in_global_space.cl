// 6.11: w. Program scope variables can be of any type except those of 6.3.3.
// expect: error "sampler" at line 4
// options: -cl-std=CL2.0
global sampler_t s = 0;
kernel void w_sampler_in_global_space(global int *out) {
    out[0] = 1;
}
