// 6.10: Variables inside a function can be extern when they are in the global or constant address space.
// expect: error "program scope variable must reside in constant address space" at line 4
kernel void extern_private_inside_a_function(global int *out) {
    extern int a;
}
