// 6.7.6: A tentative definition is of a type that is complete by the end of the program (C99 6.9.2).
// expect: error "tentative definition has type 'struct never_defined' that is never completed" at line 5
// options: -cl-std=CL2.0
struct never_defined;
global struct never_defined tentative_and_nothing_else;
kernel void tentative_definition_never_completed(global int *out) {
    out[0] = 0;
}
