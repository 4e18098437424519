// 6.13: An attribute specifier is of the form __attribute__ ((attribute-list)).
// expect: valid
// result: 1
__attribute__(()) int one(void) { return 1; }
kernel void empty_attribute_list(global int *out) {
    out[0] = one();
}
