// 6.10: The auto and register storage-class specifiers are not supported.
// expect: valid
// result: 3
extern constant int three = 3;
kernel void extern_with_an_initialiser(global int *out) {
    out[0] = three;
}
