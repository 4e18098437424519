// 6.10: Variables inside a function can be extern when they are in the global or constant address space.
// expect: valid
// result: 9
constant int nine = 9;
kernel void extern_inside_a_function(global int *out) {
    extern constant int nine;
    out[0] = nine;
}
