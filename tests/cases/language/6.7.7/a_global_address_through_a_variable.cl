// 6.7.7: Variables at program scope can be initialized by compile time constants, which what a variable points to is none of.
// expect: error "not a compile-time constant" at line 6
// options: -cl-std=CL2.0
typedef struct { int a; } Pointed;
global Pointed pointed, *pointer = &pointed;
global int *through = &pointer->a;
kernel void a_global_address_through_a_variable(global int *out) { out[0] = *through; }
