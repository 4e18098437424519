// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: error "program scope variable must reside in constant address space" at line 3
local int tile[4];
kernel void local_variable_of_program_scope(global int *out) {
    out[0] = 1;
}
