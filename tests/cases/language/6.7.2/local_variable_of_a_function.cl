// 6.7.2: __local variables are allocated in local memory and shared by all work-items in a work-group.
// expect: error "local address space" at line 4
void f(void) {
    local int tile[4];
}
kernel void local_variable_of_a_function(global int *out) {
    f();
}
