// 6.7.7: what initialises a constant is known when the program is compiled; clang says so of every call.
// expect: error "initializer element is not a compile-time constant" at line 3
constant int rounded = convert_int_rte(2.5f);
kernel void constant_initialised_by_a_rounding(global int *out) {
    out[0] = rounded;
}
