// 6.11: s. clk_event_t, ndrange_t and reserve_id_t cannot be arguments of kernels.
// expect: error "clk_event_t" at line 5
// clang: differs because it lets clk_event_t pass here
// options: -cl-std=CL2.0
kernel void s_clk_event_argument(global int *out, clk_event_t e) {
    out[0] = 1;
}
