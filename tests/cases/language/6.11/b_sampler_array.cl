// 6.11: b. The sampler type cannot be used to declare a structure field, an array, a pointer or a result.
// expect: error "sampler_t" at line 4
kernel void b_sampler_array(global int *out) {
    sampler_t many[2];
}
