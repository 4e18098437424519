// 6.11: r. event_t cannot be used to declare a program scope variable.
// expect: error "event_t" at line 4
// options: -cl-std=CL2.0
event_t e;
kernel void r_event_at_program_scope(global int *out) {
    out[0] = 1;
}
