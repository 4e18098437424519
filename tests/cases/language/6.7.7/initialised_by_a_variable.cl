// 6.7.7: A constant expression may be given as an initializer.
// expect: error "initializer element is not a compile-time constant" at line 5
// options: -cl-std=CL2.0
global int a = 1;
global int b = a;
kernel void initialised_by_a_variable(global int *out) {
    out[0] = b;
}
