// 6.11: b. The sampler type cannot be used to declare a structure field, an array, a pointer or a result.
// expect: error "sampler_t" at line 3
sampler_t f(void);
kernel void b_sampler_result(global int *out) {
    out[0] = 1;
}
