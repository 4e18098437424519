// 6.11: s. clk_event_t and reserve_id_t cannot be declared in program scope.
// expect: error "clk_event_t" at line 4
// options: -cl-std=CL2.0
clk_event_t e;
kernel void s_clk_event_at_program_scope(global int *out) {
    out[0] = 1;
}
