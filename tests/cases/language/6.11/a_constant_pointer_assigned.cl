// 6.11: a. A pointer declared with constant can only be assigned to a pointer declared with constant.
// expect: error "changes address space" at line 5
kernel void a_constant_pointer_assigned(global int *out, constant int *c) {
    global const int *p;
    p = c;
}
