// 6.11: r. event_t cannot be used with the local, constant and global address space qualifiers.
// expect: error "event_t" at line 4
kernel void r_local_event(global int *out) {
    local event_t e;
}
