// 6.13: An attribute specifier is of the form __attribute__ ((attribute-list)).
// expect: valid
// result: 16
kernel void several_attributes(global int *out) {
    int a __attribute__((aligned(16), unused)) = 16;
    out[0] = a;
}
