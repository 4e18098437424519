// 6.7.8: Variables inside a function not declared with an address space qualifier are private.
// expect: valid
// result: 4
typedef global int *gptr;
kernel void pointer_typedef_keeps_its_space(gptr out) {
    gptr p = out;
    *p = 4;
}
