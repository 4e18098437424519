// 6.15: __opencl_c_program_scope_global_variables: variables of the program, which kernels share.
// expect: valid
// options: -cl-std=CL3.0
// result: 7 12 3
global int seven_of_the_program = 7;
static global int twelve_of_the_program[2] = {5, 12};
global int *global pointer_of_the_program = &seven_of_the_program;
kernel void program_scope_variables(global int *out) {
    out[0] = *pointer_of_the_program;
    out[1] = twelve_of_the_program[1];
    seven_of_the_program = 3;
    out[2] = *pointer_of_the_program;
    seven_of_the_program = 7;
}
