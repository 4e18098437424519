// 6.7.7: A constant expression may be given as an initializer.
// expect: valid
// result: 14
// options: -cl-std=CL2.0
global int a = 2 * (3 + 4);
kernel void initialised_by_a_constant_expression(global int *out) {
    out[0] = a;
}
