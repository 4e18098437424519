// 6.11: r. event_t cannot be used to declare a structure or union field.
// expect: error "event_t" at line 3
struct s { event_t e; };
kernel void r_event_member(global int *out) {
    out[0] = 1;
}
