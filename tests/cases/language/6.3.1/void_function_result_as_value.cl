// 6.3.1: void: an incomplete type that cannot be completed.
// expect: error "void" at line 5
void nothing(void) {}
kernel void void_function_result_as_value(global int *out) {
    out[0] = nothing();
}
