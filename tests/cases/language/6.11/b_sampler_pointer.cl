// 6.11: b. The sampler type cannot be used to declare a structure field, an array, a pointer or a result.
// expect: error "sampler_t" at line 3
void f(sampler_t *p) {}
kernel void b_sampler_pointer(global int *out) {
    out[0] = 1;
}
