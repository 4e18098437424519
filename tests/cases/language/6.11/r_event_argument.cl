// 6.11: r. event_t cannot be used as the type of a kernel function argument.
// expect: error "event_t" at line 3
kernel void r_event_argument(global int *out, event_t e) {
    out[0] = 1;
}
