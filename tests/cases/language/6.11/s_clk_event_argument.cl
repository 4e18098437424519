// 6.11: s. clk_event_t, ndrange_t and reserve_id_t cannot be used as arguments to kernel functions that get enqueued from the host.
// expect: valid
// result: 1
// options: -cl-std=CL2.0
kernel void only_from_kernels(global int *out, clk_event_t e) {
    out[0] = !is_valid_event(e);
}
kernel void s_clk_event_argument(global int *out) {
    clk_event_t e = CLK_NULL_EVENT;
    only_from_kernels(out, e);
}
