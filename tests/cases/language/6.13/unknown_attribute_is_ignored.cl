// 6.13: An attribute specifier is of the form __attribute__ ((attribute-list)).
// expect: valid
// result: 2
__attribute__((nobody_knows_it)) int two(void) { return 2; }
kernel void unknown_attribute_is_ignored(global int *out) {
    out[0] = two();
}
